"""Columns of tables as arrays, and ids as row numbers."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.core.commands import command
from graphrag_tasks.core.errors import SnapshotError

Rows = NDArray[np.int64]  # Row numbers of a table.


def column(table: pa.Table, name: str) -> Any:  # noqa: ANN401 - an array of any Arrow type
    """Return a column as one array, without a copy if it already is one."""
    data = table[name]
    return data.chunk(0) if data.num_chunks == 1 else data.combine_chunks()


def numbers(values: Any) -> NDArray[Any]:  # noqa: ANN401 - an array of numbers of any type
    """Return numbers without nulls as an array over the same memory; booleans are copied.

    `Array.to_numpy` would import pandas if installed, half of the time of opening a store.
    """
    if pa.types.is_boolean(values.type):
        return numbers(values.cast(pa.uint8())).view(np.bool_)
    found: NDArray[Any] = np.from_dlpack(values)
    return found


def rows_of(table: pa.Table, name: str, ids: pa.Array[Any], what: str) -> Rows:
    """Return, for each value of an id column, its row in `ids`."""
    runs = pc.run_end_encode(column(table, name))  # rows of one document, say, lie together
    found = pc.index_in(runs.values, value_set=ids)
    if found.null_count:
        raise SnapshotError(
            f"{found.null_count} values of {name} name no row",
            what,
            f"The snapshot is damaged; publish it again: {command('index')}",
        )
    lengths = np.diff(numbers(runs.run_ends), prepend=0)
    rows: Rows = np.repeat(numbers(found).astype(np.int64), lengths)
    return rows


_REMEMBERED = 256  # Prefixes of which the place is remembered: those of one question.


class SortedTexts:
    """Finds texts of an array by bisection, without copies.

    Args:
        texts: An array of strings, sorted by bytes as `pyarrow.compute.sort_indices` does.
        order: Rows of the texts in sorted order, if the array itself is not sorted.
    """

    def __init__(self, texts: Any, order: Rows | None = None) -> None:  # noqa: ANN401 - an array
        _, ends, letters = texts.buffers()
        # A memory view gives Python's own integers, in a third of the time of NumPy's.
        self._bounds = memoryview(ends or bytes(4)).cast("i")[texts.offset :]
        self._letters = memoryview(letters or b"")
        self._rows = range(len(texts)) if order is None else order
        # A question is read several times, and each time its words begin the same texts.
        self._first_from = lru_cache(_REMEMBERED)(self._bisected)

    def __getitem__(self, row: int) -> bytes:
        start, end = self._bounds[row], self._bounds[row + 1]
        return bytes(self._letters[start:end])

    def row_of(self, text: object) -> int | None:
        """Return the row of a text, or None."""
        if not isinstance(text, str):
            return None
        wanted = text.encode("utf-8", "surrogatepass")
        row = self._first_from(wanted)
        return row if row is not None and self[row] == wanted else None

    def begins(self, text: str) -> bool:
        """Tell whether some text begins with this prefix."""
        wanted = text.encode("utf-8", "surrogatepass")
        row = self._first_from(wanted)
        return row is not None and self[row].startswith(wanted)

    def _bisected(self, wanted: bytes) -> int | None:
        place = bisect_left(self._rows, wanted, key=self.__getitem__)
        return int(self._rows[place]) if place < len(self._rows) else None
