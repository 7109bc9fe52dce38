"""Out-of-core sort by document: distribute rows to files, then sort what fits memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.storage.sql import Rows

SORTED_BYTES = 1 << 28
"""Bytes that are sorted at once, as the files count them (uncompressed, but encoded)."""
_BATCH_ROWS = 1 << 13


def batches_of(
    rows: Rows, columns: Sequence[str] | None = None, documents: pa.Array | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield rows in their order, a few batches at a time; by default, all columns of all documents.

    The rows have a column `document_id`.
    """
    if isinstance(rows, pa.Table):
        found = iter((rows.select(columns) if columns else rows).to_batches(_BATCH_ROWS))
    else:
        found = rows.to_batches(
            columns=columns, batch_size=_BATCH_ROWS, batch_readahead=2, fragment_readahead=1
        )
    for batch in found:
        if documents is None:
            yield batch
        else:
            yield batch.filter(pc.is_in(batch["document_id"], value_set=documents))


def size_of(rows: Rows) -> int:
    """Return the bytes of all columns: in memory, or as the row groups of the files count them."""
    if isinstance(rows, pa.Table):
        return int(rows.nbytes)
    return sum(
        group.total_byte_size for fragment in rows.get_fragments() for group in fragment.row_groups
    )


def by_document(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, documents: pa.Array, size: int
) -> Iterator[pa.RecordBatch]:
    """Yield rows sorted by document; the order within a document stays.

    Rows whose `size_of` is more than `SORTED_BYTES` are first distributed to files by ranges of
    `documents` (all ids); then each file is sorted in memory.
    """
    ranges = -(-size // SORTED_BYTES)
    if ranges <= 1:
        yield from _sorted(pa.Table.from_batches(batches, schema))
        return
    count = len(documents)
    places = sorted({count * number // ranges for number in range(1, ranges)} - {0, count})
    ends = documents.sort().take(pa.array(places))
    with tempfile.TemporaryDirectory(prefix="graphrag-collect-") as folder:
        files = [Path(folder) / f"{number}.arrow" for number in range(len(ends) + 1)]
        _distribute(batches, schema, ends, files)
        for file in files:
            with pa.ipc.open_stream(file) as reader:
                rows = reader.read_all()
            file.unlink()
            yield from _sorted(rows)


def _distribute(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, ends: pa.Array, files: Sequence[Path]
) -> None:
    bounds = np.array(ends.to_pylist(), dtype=object)
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with ExitStack() as stack:
        writers = [
            stack.enter_context(pa.ipc.new_stream(file, schema, options=options)) for file in files
        ]
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
