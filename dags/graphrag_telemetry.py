"""Metrics of the tasks of graphrag_reindex, through Airflow's own (`[metrics]`: StatsD or OpenTelemetry).

Without settings for them nothing is sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from airflow.sdk import get_current_context
from airflow.sdk.observability import stats

if TYPE_CHECKING:
    from graphrag_tasks.operations.metrics import Figure
    from graphrag_tasks.pipeline.run import Published, Run
    from graphrag_tasks.storage.artifacts import Receipt

_MILLISECONDS = 1000  # Airflow's timers count them.


def tell_stage(run: Run, stage: str, receipts: Sequence[Receipt], shards: Sequence[int] = ()) -> None:
    """Tell what a task of a stage did, if it did something.

    Args:
        run: The run.
        stage: Name of the stage, or `plan`.
        receipts: Those of the task.
        shards: Numbers of the shards that they are of.
    """
    if not receipts:
        return
    from graphrag_tasks.operations.metrics import spending, stage_figures
    from graphrag_tasks.pipeline.stages import SHARD_STAGES

    documents = [run.state.shard_rows(shard).num_rows for shard in shards]
    figures = stage_figures(stage, receipts, documents)
    if stage not in SHARD_STAGES:
        figures += spending(run.spent_usd())
    _count(figures)


def tell_publish(published: Published, summary: dict[str, Any]) -> None:
    """Tell what a run published, or that nothing changed."""
    from graphrag_tasks.operations.metrics import publish_figures

    _count(publish_figures(summary, changed=published.changed))


def _count(figures: Iterable[Figure]) -> None:
    instance = get_current_context()["ti"]
    tags = {"dag_id": instance.dag_id, "task_id": instance.task_id}
    for one in figures:
        if one.kind == "counter":
            stats.incr(one.name, int(one.value), tags=tags)
        elif one.kind == "gauge":
            stats.gauge(one.name, one.value, tags=tags)
        else:
            stats.timing(one.name, one.value * _MILLISECONDS, tags=tags)
