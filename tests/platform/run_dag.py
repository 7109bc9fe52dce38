"""Run the reindex DAG; prints one line of JSON with the states of the runs.

In a process of its own, as Airflow's settings are of the whole process: `python -m tests.platform.run_dag DAGS_FOLDER
RUNS`.
"""

import json
import sys
import time

from airflow.utils import db

from graphrag_tasks.pipeline import run


def main(folder: str, runs: list[dict[str, object]]) -> list[str]:
    """Run the DAG with each of the params; return how the runs ended."""
    from airflow.dag_processing.dagbag import DagBag
    from airflow.sdk.configuration import conf
    from airflow.sdk.observability import stats
    from airflow.sdk.observability.metrics import stats_utils

    # As a worker does before it runs a task; `dag.test` runs tasks in this process.
    stats.initialize(
        factory=stats_utils.get_stats_factory(), export_legacy_names=conf.getboolean("metrics", "legacy_names_on")
    )
    sleep, time.sleep = time.sleep, lambda _: sleep(0.01)  # dag.test waits whole seconds
    sys.path.append(folder)  # as Airflow does
    bag = DagBag(folder)
    assert not bag.import_errors, bag.import_errors
    dag = bag.dags["graphrag_reindex"]
    return [str(dag.test(run_conf=params).state) for params in runs]


if __name__ == "__main__":
    run.MOST_TASKS = 2
    db.initdb()
    print("RESULT", json.dumps(main(sys.argv[1], json.loads(sys.argv[2]))))  # noqa: T201
