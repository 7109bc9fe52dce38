"""A few rows of a large table as dictionaries, read from its buffers.

A search returns some five hundred values from rows far apart. Arrow makes a scalar of each before
it is a Python value, which took a tenth of the CPU of a search; numbers and texts are read without.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from graphrag_tasks.retrieval.view.arrays import Rows, column

_Read = Callable[[Rows], list[Any]]


class Records:
    """The rows of a table; never changed once built, so threads may share it.

    Args:
        table: Any columns; those of other types than texts and numbers are read value by value.
    """

    def __init__(self, table: pa.Table) -> None:
        self._names = table.column_names
        self._columns = [_reader(column(table, name)) for name in self._names]

    def at(self, rows: Sequence[int] | Rows) -> list[dict[str, Any]]:
        """Return some rows, in the order given, each as values by name of column."""
        places = np.asarray(rows, dtype=np.int64)
        values = zip(*[read(places) for read in self._columns], strict=True)
        return [dict(zip(self._names, row, strict=True)) for row in values]


def _reader(values: Any) -> _Read:  # noqa: ANN401 - an array of any Arrow type
    kind = values.type
    if isinstance(values, pa.Array):  # texts too long for one array are in several
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            return _known_only(values, _texts(values))
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            return _known_only(values, _numbers(values))
    return lambda rows: [values[row].as_py() for row in rows.tolist()]


def _texts(values: pa.StringArray) -> _Read:
    width = np.int32 if pa.types.is_string(values.type) else np.int64
    _, ends, letters = values.buffers()
    bounds = np.frombuffer(ends or bytes(8), width)[values.offset :]
    written = memoryview(letters or b"")

    def read(rows: Rows) -> list[Any]:
        spans = zip(bounds[rows].tolist(), bounds[rows + 1].tolist(), strict=True)
        return [str(written[start:end], "utf-8") for start, end in spans]

    return read


def _numbers(values: pa.Array[Any]) -> _Read:
    given = values.fill_null(0) if values.null_count else values
    numbers = given.to_numpy()
    return lambda rows: numbers[rows].tolist()


def _known_only(values: pa.Array[Any], read: _Read) -> _Read:
    """Return what reads None where a value is not known, whatever is stored in its place."""
    if not values.null_count:
        return read
    known = values.is_valid().to_numpy(zero_copy_only=False)

    def read_known(rows: Rows) -> list[Any]:
        given = zip(read(rows), known[rows].tolist(), strict=True)
        return [value if is_known else None for value, is_known in given]

    return read_known
