"""Merge the shards' rows with reused rows into one corpus, with the metadata that people keep beside documents.

Snapshot N+1 = rows of snapshot N whose document is unchanged ∪ rows of the documents processed now. Nothing is removed
in place, so an incremental run and a clean rebuild give the same rows in the same order. A document that was indexed
before and fails now keeps its last good rows; its row in `documents` says that it failed. Tables larger than memory are
sorted through files.
"""

from __future__ import annotations

import logging
import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import MergeConfig
from graphrag_tasks.core.errors import SourceError
from graphrag_tasks.core.left_out import FAILED, FailedDocuments
from graphrag_tasks.core.schemas import BESIDE, PROPERTIES
from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.storage.artifacts import conform
from graphrag_tasks.storage.files import scratch
from graphrag_tasks.storage.sql import Rows

LEAST_SHARE, LEAST_DOCUMENTS = 0.8, 5
"""Of the dated documents of a folder so many are of one day if that is when they were built, not written. Chosen."""
_DATE, _LENGTH = "date", len("2024-03-01")
_Rows = Sequence[Mapping[str, str]]


def metadata_of(documents: pa.Table, beside: Sequence[_Rows | None]) -> Iterator[Any]:
    """Yield the metadata of each document, by key; what stands beside it wins."""
    said: list[_Rows] = [rows or () for rows in documents["said"].to_pylist()]
    built = _built(documents["uri"].to_pylist(), said)
    for place, own in enumerate(beside):
        found = [{**one, "origin": BESIDE} for one in own or ()]
        taken = {one["key"] for one in found} | ({_DATE} if place in built else set())
        found += [dict(one) for one in said[place] if one["key"] not in taken]
        yield sorted(found, key=lambda one: one["key"]) or None


def _built(uris: Sequence[str], said: Sequence[_Rows]) -> set[int]:
    """Return the documents whose date a program wrote when it built their folder."""
    dates = {
        place: date.fromisoformat(one["value"])
        for place, rows in enumerate(said) for one in rows
        if one["key"] == _DATE and one["origin"] == PROPERTIES and len(one["value"]) == _LENGTH
    }  # fmt: skip
    folders: dict[str, list[int]] = defaultdict(list)
    for place in dates:
        folder = uris[place]
        while folder := posixpath.dirname(folder):
            folders[folder].append(place)
    built: set[int] = set()
    for places in folders.values():
        counts = Counter(dates[place] for place in places)
        day = min(counts, key=lambda one: (-counts[one], one))
        near = [place for place in places if abs((dates[place] - day).days) <= 1]
        if len(places) >= LEAST_DOCUMENTS and len(near) >= LEAST_SHARE * len(places):
            built.update(near)
    return built


log = logging.getLogger(__name__)

SORTED_BYTES = 1 << 28  # Bytes sorted at once, by the files' statistics (uncompressed, but encoded).
_BATCH_ROWS = 1 << 13  # Rows read at a time; bounds memory.
_SKIPPED = "skipped"
_NAMED_FAILURES = 5  # Documents named in an error.


def merge_shards(
    sources: pa.Table,
    processed: Mapping[str, Sequence[Rows]],
    published: Mapping[str, Sequence[Rows]],
    replaces: bool = True,
    *,
    config: MergeConfig,
) -> StageResult:
    """Join the processed rows with the published rows that are still valid.

    `sources` is the plan. Both mappings have the parts of each shard table. The result has the documents by uri, and a
    stream of each other table by document, in reading order.
    """
    unchanged = _ids(sources, "change", schemas.UNCHANGED)
    made = _table("documents", processed["documents"])
    failed = _ids(made, "status", FAILED)
    before = _table("documents", published["documents"])
    carried = before.filter(pc.is_in(before["document_id"], value_set=unchanged))
    documents = _labelled(pa.concat_tables([made, carried]).sort_by("uri"), sources)
    read = before.filter(pc.not_equal(before["status"], FAILED))["document_id"].combine_chunks()
    lost = failed.filter(pc.is_in(failed, value_set=read)) if before.num_rows else failed
    _check_failures(documents, lost if replaces else failed[:0], config)
    kept = pa.concat_arrays([unchanged, failed])
    stats = _counts(documents) | {"documents_quarantined": _count_documents(published["chunks"], failed)}
    tables: dict[str, pa.Table | pa.RecordBatchReader] = {"documents": documents}
    ids = documents["document_id"].combine_chunks()
    for name in processed:
        if name not in tables:
            tables[name] = _stream(name, processed[name], published[name], kept, ids, stats)
    return StageResult(tables, stats)


def _labelled(documents: pa.Table, sources: pa.Table) -> pa.Table:
    """Set every document's current access labels and metadata, reused or not."""
    ids = sources["document_id"].combine_chunks()
    rows = pc.index_in(documents["document_id"], value_set=ids)
    for name in ("labels", "labels_error", "metadata"):
        place, field = documents.schema.get_field_index(name), documents.schema.field(name)
        found = sources[name].take(rows)
        if name == "metadata":
            found = pa.array(metadata_of(documents, found.to_pylist()), field.type)
        documents = documents.set_column(place, field, found)
    return documents


def _counts(documents: pa.Table) -> dict[str, int | float]:
    left_out = pc.struct_field(pc.list_flatten(documents["left_out"]), "count")
    hidden = pc.equal(pc.list_value_length(documents["labels"]), 0)
    stats: dict[str, int | float] = {
        "documents": documents.num_rows,
        "pages": _sum(documents["pages_out"]),
        "characters": _sum(documents["characters"]),
        "sentences_kept": 0,
        "left_out": _sum(left_out),
        "documents_hidden": _sum(hidden),
    }
    for status in ("parsed", "partial", "empty", FAILED, _SKIPPED):
        stats[f"documents_{status}"] = len(_ids(documents, "status", status))
    return stats


def _sum(values: pa.ChunkedArray) -> int:
    return int(pc.sum(values).as_py() or 0)


def _stream(
    name: str, processed: Sequence[Rows], published: Sequence[Rows], kept: pa.Array,
    documents: pa.Array, stats: dict[str, int | float],
) -> pa.RecordBatchReader:  # fmt: skip
    """Return a table's rows by document, counted while they are read."""
    schema = pa.schema([pa.field(one.name, one.type) for one in schemas.SCHEMAS[name]])
    parts = [*((rows, None) for rows in processed), *((rows, kept) for rows in published)]
    stats[name] = 0

    def sorted_rows() -> Iterator[pa.RecordBatch]:
        size = sum(_size_of(rows) for rows, _ in parts)
        found = (batch.cast(schema) for rows, wanted in parts for batch in _batches_of(rows, documents=wanted))
        for batch in _by_document(found, schema, documents, size):
            stats[name] += batch.num_rows
            if name == "sentences":
                stats["sentences_kept"] += _sum(batch["has_verb"])
            yield batch

    return pa.RecordBatchReader.from_batches(schema, sorted_rows())


def _table(name: str, parts: Sequence[Rows]) -> pa.Table:
    tables = (part if isinstance(part, pa.Table) else part.to_table() for part in parts)
    return pa.concat_tables([schemas.empty(name), *(conform(name, table) for table in tables)])


def _count_documents(parts: Sequence[Rows], ids: pa.Array) -> int:
    batches = (batch for rows in parts for batch in _batches_of(rows, ["document_id"], ids))
    return len({one for batch in batches for one in batch["document_id"].unique().to_pylist()})


def _ids(table: pa.Table, column: str, value: str) -> pa.Array:
    return table.filter(pc.equal(table[column], value))["document_id"].combine_chunks()


def _check_failures(documents: pa.Table, lost: pa.Array, config: MergeConfig) -> None:
    """Log the failed documents, and raise if there are too many that could be read before."""
    with FailedDocuments(log) as told:
        told.tell(documents)
    failed = documents.filter(pc.equal(documents["status"], FAILED))
    readable = _sum(pc.not_equal(documents["status"], _SKIPPED))
    counted = failed if len(failed) == readable else failed.filter(pc.is_in(failed["document_id"], value_set=lost))
    if not counted or len(counted) <= config.max_failed_share * readable:
        return
    rows = counted.select(["uri", "error_code"]).to_pylist()
    named = ", ".join(f"{row['uri']} ({row['error_code']})" for row in rows[:_NAMED_FAILURES])
    raise SourceError(
        f"{len(counted)} of {readable} documents failed, more than the share of "
        f"{config.max_failed_share:g} that merge_shards.max_failed_share allows: {named}",
        "merge_shards",
        "Nothing was published. Repair or remove them, or raise merge_shards.max_failed_share",
    )


def _batches_of(
    rows: Rows, columns: Sequence[str] | None = None, documents: pa.Array | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield rows in order, a few batches at a time; by default all columns and documents."""
    if isinstance(rows, pa.Table):
        found = iter((rows.select(columns) if columns else rows).to_batches(_BATCH_ROWS))
    else:
        found = rows.to_batches(columns=columns, batch_size=_BATCH_ROWS, batch_readahead=2, fragment_readahead=1)
    for batch in found:
        if documents is None:
            yield batch
        else:
            yield batch.filter(pc.is_in(batch["document_id"], value_set=documents))


def _size_of(rows: Rows) -> int:
    """Return the size of all columns: in memory, or by the files' row group statistics."""
    if isinstance(rows, pa.Table):
        return int(rows.nbytes)
    return sum(group.total_byte_size for fragment in rows.get_fragments() for group in fragment.row_groups)


def _by_document(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, documents: pa.Array, size: int
) -> Iterator[pa.RecordBatch]:
    """Yield rows sorted by document, stable within a document.

    Rows larger than `SORTED_BYTES` are first distributed to files by ranges of `documents` (all ids); then each file is
    sorted in memory.
    """
    ranges = -(-size // SORTED_BYTES)
    if ranges <= 1:
        yield from _sorted(pa.Table.from_batches(batches, schema))
        return
    count = len(documents)
    places = sorted({count * number // ranges for number in range(1, ranges)} - {0, count})
    ends = documents.sort().take(pa.array(places))
    with scratch() as folder:
        files = [folder / f"{number}.arrow" for number in range(len(ends) + 1)]
        _distribute(batches, schema, ends, files)
        for file in files:
            with pa.ipc.open_stream(file) as reader:
                rows = reader.read_all()
            file.unlink()
            yield from _sorted(rows)


def _distribute(batches: Iterable[pa.RecordBatch], schema: pa.Schema, ends: pa.Array, files: Sequence[Path]) -> None:
    bounds = np.array(ends.to_pylist(), dtype=object)
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with ExitStack() as stack:
        writers = [stack.enter_context(pa.ipc.new_stream(file, schema, options=options)) for file in files]
        for batch in batches:
            ids = batch["document_id"].dictionary_encode()
            range_of = np.searchsorted(bounds, ids.dictionary.to_pylist(), side="right")
            ranges = range_of[ids.indices.to_numpy()]
            for number in np.unique(ranges):
                writers[number].write_batch(batch.filter(pa.array(ranges == number)))


def _sorted(table: pa.Table) -> Iterator[pa.RecordBatch]:
    # Arrow's sort is stable: within a document the order of the stage that made the rows stays.
    order = pc.sort_indices(table, sort_keys=[("document_id", "ascending")])
    yield from table.take(order).to_batches()
