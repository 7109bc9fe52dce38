"""Rows as they come, cut into row groups: how tables larger than memory are written.

The cut depends on the number of rows alone, so the same rows give the same file however they were
batched on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    import pyarrow.dataset as ds

_ROWS = 1 << 17
_ROWS_READ = 1 << 13
_ROWS_OF = {"renditions": 16, "frames": 1 << 15, "communities": 1 << 14}
"""Tables with long rows: a renditions row may be megabytes."""


def rows_of_group(table: str) -> int:
    """Return how many rows a row group of this artifact has."""
    return _ROWS_OF.get(table, _ROWS)


def batches_of(rows: pa.Table | ds.Dataset, columns: list[str]) -> pa.RecordBatchReader:
    """Return columns of a table, or of a dataset piece by piece, as a stream in their order."""
    if isinstance(rows, pa.Table):
        return rows.select(columns).to_reader()
    return rows.scanner(columns=columns, batch_size=_ROWS_READ).to_reader()


def cut(rows: pa.Table | pa.RecordBatchReader, size: int) -> Iterator[pa.Table]:
    """Yield the rows in tables of this size, each of one chunk; the last may be smaller."""
    schema = rows.schema
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in rows.to_batches() if isinstance(rows, pa.Table) else rows:
        start = 0
        while count + batch.num_rows - start >= size:
            part = batch.slice(start, size - count)
            yield pa.Table.from_batches([*waiting, part], schema).combine_chunks()
            start += part.num_rows
            waiting, count = [], 0
        if start < batch.num_rows:
            waiting.append(batch.slice(start))
            count += batch.num_rows - start
    if waiting:
        yield pa.Table.from_batches(waiting, schema).combine_chunks()
