"""What tasks of graphrag_reindex tell beside their receipts: metrics, and lineage.

Metrics go through Airflow's own (`[metrics]`: StatsD or OpenTelemetry), lineage through its provider of OpenLineage
(the extra `openlineage`). Without settings for them nothing is sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from airflow.sdk import get_current_context
from airflow.sdk.observability import stats

if TYPE_CHECKING:
    from graphrag_tasks.operations.lineage import Dataset, Lineage
    from graphrag_tasks.operations.metrics import Figure
    from graphrag_tasks.pipeline.run import Published, Run
    from graphrag_tasks.storage.receipts import Receipt

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
    from graphrag_tasks.operations.lineage import stage_lineage
    from graphrag_tasks.operations.metrics import spending, stage_figures
    from graphrag_tasks.pipeline.stages import SHARD_STAGES

    documents = [run.state.shard_rows(shard).num_rows for shard in shards]
    figures = stage_figures(stage, receipts, documents)
    if stage not in SHARD_STAGES:
        figures += spending(run.spent_usd())
    _count(figures)
    if _wants_lineage():
        _emit(stage_lineage(run, stage, receipts))


def tell_publish(run: Run, published: Published, summary: dict[str, Any]) -> None:
    """Tell what a run published, or that nothing changed."""
    from graphrag_tasks.operations.lineage import publish_lineage
    from graphrag_tasks.operations.metrics import publish_figures

    _count(publish_figures(summary, changed=published.changed))
    if published.changed and _wants_lineage():
        _emit(publish_lineage(run, published))


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


def _wants_lineage() -> bool:
    """Return whether the provider is installed, and told where to send events."""
    if find_spec("airflow.providers.openlineage") is None:
        return False
    from airflow.providers.openlineage.api import is_openlineage_active

    return bool(is_openlineage_active())


def _emit(lineage: Lineage) -> None:
    """Send the datasets of the task at hand; the provider itself sends its start and its end."""
    from airflow.providers.openlineage.api import emit_dataset_lineage
    from openlineage.client.event_v2 import InputDataset, OutputDataset
    from openlineage.client.facet_v2 import output_statistics_output_dataset as statistics

    emit_dataset_lineage(
        inputs=[InputDataset(namespace=one.namespace, name=one.name, facets=_facets(one)) for one in lineage.inputs],
        outputs=[
            OutputDataset(
                namespace=one.namespace,
                name=one.name,
                facets=_facets(one),
                outputFacets={
                    "outputStatistics": statistics.OutputStatisticsOutputDatasetFacet(
                        rowCount=one.rows, fileCount=one.files
                    )
                },
            )
            for one in lineage.outputs
        ],
    )


def _facets(dataset: Dataset) -> dict[str, Any]:
    """Return what an event says of a dataset; the facet `graphrag_artifact` is this project's."""
    from attr import make_class
    from openlineage.client.facet_v2 import DatasetFacet, dataset_version_dataset, schema_dataset

    facets: dict[str, Any] = {}
    if dataset.version:
        facets["version"] = dataset_version_dataset.DatasetVersionDatasetFacet(datasetVersion=dataset.version)
    if dataset.columns:
        facets["schema"] = schema_dataset.SchemaDatasetFacet(
            fields=[
                schema_dataset.SchemaDatasetFacetFields(name=one.name, type=one.type, description=one.meaning)
                for one in dataset.columns
            ]
        )
    if dataset.about:
        facet = make_class("GraphragArtifactDatasetFacet", list(dataset.about), bases=(DatasetFacet,))
        facets["graphrag_artifact"] = facet(**dataset.about)
    return facets
