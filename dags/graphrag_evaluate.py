"""### Ask every published GraphRAG snapshot your questions.

Runs on the asset event of a publish. **evaluate** asks the questions of `quality.questions`, whose sources are known,
in the modes named, and writes the figures to `STORE/evaluations/<snapshot>/`: `results.md` for people and
`results.parquet` for notebooks on the passages found, `answers.md` and `answers.parquet` on the answers, judged without
a model. Without questions it is skipped.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import Param, dag, get_current_context, task
from airflow.sdk.exceptions import AirflowSkipException
from graphrag_defaults import DEFAULT_ARGS, SNAPSHOT, SnapshotLink, linked, params_of, store_param

from graphrag_tasks.core.config import load_config

DEFAULTS = load_config()


@dag(
    schedule=[SNAPSHOT],
    catchup=False,
    max_active_runs=1,
    is_paused_upon_creation=True,
    dagrun_timeout=timedelta(hours=4),
    default_args=DEFAULT_ARGS,
    params={
        "store": store_param(),
        "questions": Param(
            DEFAULTS.quality.questions or "",
            type="string",
            title="Questions",
            description="JSON lines of questions with known sources (docs/how-to/evaluation.md)",
        ),
        "modes": Param(
            ["auto", "hybrid", "dense", "paper"],
            type="array",
            items={"type": "string", "minLength": 1},
            minItems=1,
            title="Modes",
            description="Search modes to compare",
        ),
    },
    description="Ask each published snapshot questions with known sources",
    doc_md=__doc__,
    tags=["graphrag"],
)
def graphrag_evaluate() -> None:
    @task
    def evaluate() -> dict[str, Any]:
        """Ask the questions in each mode, and keep the figures beside the snapshots."""
        from graphrag_tasks.workbench.evaluation import evaluate_store

        params = params_of(get_current_context())
        if not params["questions"]:
            raise AirflowSkipException("quality.questions names no file of questions")
        figures = evaluate_store(params["store"], params["questions"], params["modes"])
        return {"store": params["store"], **figures}

    linked(evaluate(), SnapshotLink("return_value"))


graphrag_evaluate()
