"""The DAG: loads, reads like the method's figure, validates its params, and runs to its end."""

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def airflow_environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An Airflow home of its own with a migrated database."""
    home = tmp_path_factory.mktemp("airflow")
    environment = os.environ | {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__LOGGING__LOGGING_LEVEL": "ERROR",
        "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
        "GRAPHRAG__LOAD__VECTOR_STORE": "none",
    }
    airflow(environment, "db", "migrate")
    return environment


def airflow(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "airflow", *arguments],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


DESCRIBE = """
import json
from airflow.dag_processing.dagbag import DagBag
from graphrag_tasks.errors import SourceError, TransientError
bag = DagBag()
dag = bag.dags["graphrag_reindex"]
print("DAG", json.dumps({
    "errors": bag.import_errors,
    "edges": sorted((up, down) for up, task in dag.task_dict.items()
                    for down in task.downstream_task_ids),
    "params": {name: {**param.schema, "title": param.schema.get("title"),
        "description": param.description} for name, param in dag.params.items()},
    "max_active_runs": dag.max_active_runs,
    "paused": dag.is_paused_upon_creation,
    "catchup": dag.catchup,
    "doc": dag.doc_md,
    "retries": {task_id: [task.retries] + [
        task.retry_policy.evaluate(error("what"), 1, 2).action.value
        for error in (SourceError, TransientError)
    ] for task_id, task in dag.task_dict.items()},
    "unbounded": [task_id for task_id, task in dag.task_dict.items()
                  if task.execution_timeout is None],
}))
"""


@pytest.fixture(scope="module")
def dag(airflow_environment: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", DESCRIBE], env=airflow_environment, capture_output=True, text=True
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("DAG ")]
    assert lines, done.stdout + done.stderr
    described: dict[str, Any] = json.loads(lines[0].removeprefix("DAG "))
    return described


def test_the_dag_loads_and_is_safe_to_deploy(dag: dict[str, Any]) -> None:
    assert dag["errors"] == {}
    assert (dag["max_active_runs"], dag["paused"], dag["catchup"]) == (1, True, False)
    assert "CURRENT" in dag["doc"]


def test_the_graph_is_the_methods_figure(dag: dict[str, Any]) -> None:
    chain = [
        "plan", "shard.parse", "shard.chunk", "shard.filter_sentences", "shard.extract",
        "collect", "normalize", "embed", "load", "publish",
    ]  # fmt: skip
    assert {tuple(edge) for edge in dag["edges"]} == set(pairwise(chain))


def test_every_param_is_typed(dag: dict[str, Any]) -> None:
    params = dag["params"]
    assert set(params) == {
        "sources", "store", "extractor", "full_refresh", "allow_mass_delete", "max_failed_share",
    }  # fmt: skip
    assert all(schema["type"] and schema["description"] for schema in params.values())
    assert params["extractor"]["enum"] == ["dependency"]


def test_terminal_errors_are_not_retried_and_transient_ones_are(dag: dict[str, Any]) -> None:
    assert set(map(tuple, dag["retries"].values())) == {(2, "fail", "retry")}


def test_no_task_runs_without_a_bound(dag: dict[str, Any]) -> None:
    assert dag["unbounded"] == []


def write_corpus(folder: Path) -> Path:
    folder.mkdir()
    (folder / "a.md").write_text("# Tables\n\nSAP replaced the table VBBS with the table VBBE.\n")
    (folder / "b.txt").write_text("The report ZSALES reads the table VBBS.\n")
    (folder / "c.xyz").write_text("skipped")
    return folder


def run_dag(environment: dict[str, str], **params: Any) -> subprocess.CompletedProcess[str]:
    return airflow(environment, "dags", "test", "graphrag_reindex", "--conf", json.dumps(params))


def test_a_run_publishes_and_the_next_has_nothing_to_do(
    airflow_environment: dict[str, str], tmp_path: Path
) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    params = {"sources": [str(corpus)], "store": str(tmp_path / "store")}
    done = run_dag(airflow_environment, **params)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    current = (tmp_path / "store" / "CURRENT").read_text()
    manifest = json.loads(
        (tmp_path / "store" / "snapshots" / current.strip() / "manifest.json").read_text()
    )
    counts = manifest["stats"]["counts"]
    assert (counts["documents"], counts["documents_skipped"]) == (3, 1)
    assert counts["relations"] >= 2

    again = run_dag(airflow_environment, **params)
    assert again.returncode == 0, again.stdout[-3000:] + again.stderr[-3000:]
    assert (tmp_path / "store" / "CURRENT").read_text() == current

    missing = run_dag(airflow_environment, **(params | {"sources": [str(tmp_path / "unmounted")]}))
    assert missing.returncode != 0
    assert "the source does not exist" in missing.stdout + missing.stderr
    assert (tmp_path / "store" / "CURRENT").read_text() == current
