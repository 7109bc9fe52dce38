"""Collect stage: the shards' rows and the rows carried over become one corpus.

`snapshot N+1 = rows of snapshot N whose document is unchanged ∪ rows of the documents processed
now`; nothing is subtracted in place, so an incremental run and a clean rebuild give the same rows
in the same order. A document that fails now but was indexed before keeps its last good rows, with
its row in `documents` saying that it failed.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks import schemas
from graphrag_tasks.config import CollectConfig
from graphrag_tasks.errors import SourceError
from graphrag_tasks.plan import UNCHANGED
from graphrag_tasks.stage import StageResult

PRODUCES = (
    "documents", "blocks", "cells", "renditions", "chunks", "links", "anchors", "sentences",
    "frames", "triples", "coreferences",
)  # fmt: skip
REQUIRES = ("sources", *PRODUCES)
DEPENDENCIES = ()

_FAILED, _SKIPPED = "failed", "skipped"
_NAMED_FAILURES = 5


def collect(
    sources: pa.Table,
    processed: Mapping[str, pa.Table],
    published: Mapping[str, pa.Table],
    *,
    config: CollectConfig,
) -> StageResult:
    """Join the processed rows with those of the published snapshot that still hold.

    Args:
        sources: The plan.
        processed: `PRODUCES` of all shards together.
        published: The same tables of the current snapshot; empty before the first publish.
        config: Share of failures that ends the run.

    Returns:
        The corpus; documents sorted by uri, every other table by document, in reading order.

    Raises:
        SourceError: More documents failed than `config.max_failed_share` allows.
    """
    unchanged = _ids(sources, "change", UNCHANGED)
    failed = _ids(processed["documents"], "status", _FAILED)
    tables = {"documents": _documents(processed, published, unchanged)}
    _guard(tables["documents"], config)
    kept = pa.concat_arrays([unchanged, failed])
    for name in PRODUCES[1:]:
        carried = _of_documents(published[name], kept)
        tables[name] = _by_document(pa.concat_tables([processed[name], carried]))
    quarantined = _of_documents(published["chunks"], failed)["document_id"]
    stats = {name: table.num_rows for name, table in tables.items()}
    stats |= {
        "pages": pc.sum(tables["documents"]["pages_out"]).as_py() or 0,
        "characters": pc.sum(tables["documents"]["characters"]).as_py() or 0,
        "sentences_kept": pc.sum(tables["sentences"]["has_verb"]).as_py() or 0,
        "documents_quarantined": len(quarantined.unique()),
        "renditions_omitted": tables["renditions"]["docling_json"].null_count,
    }
    for status in ("parsed", "partial", "empty", _FAILED, _SKIPPED):
        stats[f"documents_{status}"] = len(_ids(tables["documents"], "status", status))
    return StageResult(tables, stats)


def _ids(table: pa.Table, column: str, value: str) -> pa.Array:
    ids = table.filter(pc.equal(table[column], value))["document_id"]
    return ids.combine_chunks()


def _of_documents(table: pa.Table, ids: pa.Array) -> pa.Table:
    return table.filter(pc.is_in(table["document_id"], value_set=ids))


def _documents(
    processed: Mapping[str, pa.Table], published: Mapping[str, pa.Table], unchanged: pa.Array
) -> pa.Table:
    carried = _of_documents(published["documents"], unchanged)
    return pa.concat_tables([processed["documents"], carried]).sort_by("uri")


def _by_document(table: pa.Table) -> pa.Table:
    # Arrow's sort is stable: within a document the order of the stage that made the rows stays.
    return table.take(pc.sort_indices(table, sort_keys=[("document_id", "ascending")]))


def _guard(documents: pa.Table, config: CollectConfig) -> None:
    readable = documents.filter(pc.not_equal(documents["status"], _SKIPPED))
    failed = readable.filter(pc.equal(readable["status"], _FAILED))
    if not failed.num_rows or failed.num_rows <= config.max_failed_share * readable.num_rows:
        return
    named = ", ".join(
        f"{row['uri']} ({row['error_code']})"
        for row in failed.slice(0, _NAMED_FAILURES).to_pylist()
    )
    raise SourceError(
        f"{failed.num_rows} of {readable.num_rows} documents failed, more than the share of "
        f"{config.max_failed_share:g} that collect.max_failed_share allows: {named}",
        "collect",
        "Nothing was published. Repair or remove them, or raise the share",
    )


def empty_corpus() -> dict[str, pa.Table]:
    """Return `PRODUCES` with no rows: what is published before the first publish."""
    return {name: schemas.empty(name) for name in PRODUCES}
