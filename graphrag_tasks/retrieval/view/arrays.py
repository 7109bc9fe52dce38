"""Arrays of a snapshot: row numbers, vectors, scores, adjacency, and rows as dictionaries."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.core.errors import SnapshotError
from graphrag_tasks.storage.artifacts import Rows, column, numbers, rows_of
from graphrag_tasks.storage.snapshots.store import Snapshot

Floats = NDArray[np.float32]

Vectors = NDArray[np.float32]  # Unit vectors, shape (rows, dimension), or one of them, shape (dimension,).

Scores = NDArray[np.float32] | NDArray[np.float64]  # One number per row; higher is better.

_COPIED_AT_ONCE = 256
_READ_AT_ONCE = 512
"""Rows that are copied, or read, together: 400 or 800 kB of 384 numbers, which a processor's cache holds."""
_BLOCK = 64  # Scores of which `top` compares the highest first; chosen.
_NO_DEVIATION = 1e-9  # A smaller standard deviation is that of equal scores, but for rounding.


def id_ranks(ids: pa.Array[Any]) -> Rows:
    """Return the position of each id in sorted order, which breaks ties."""
    if pc.all(pc.less_equal(ids[:-1], ids[1:])).as_py() is not False:  # as most tables are
        return np.arange(len(ids))
    order = numbers(pc.sort_indices(ids))
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def matrix(table: pa.Table, ids: pa.Array[Any], dimension: int, what: str) -> Vectors:
    """Return a vector table as a matrix of shape (len(ids), dimension), with rows as in `ids`.

    A published table already has that order, so the matrix is a read-only view of the memory-mapped file: nothing is
    read before use, and readers share the pages.
    """
    width = table.schema.field("vector").type.list_size
    if width != dimension:
        raise SnapshotError(f"vectors have {width} numbers, the manifest says {dimension}", what)
    flat = numbers(column(table, "vector").flatten())
    vectors: Vectors = flat.reshape(-1, width)
    vector_ids = column(table, "id")
    if vector_ids.equals(ids):
        return vectors
    rows = rows_of(pa.table({"id": ids}), "id", vector_ids, what)
    return vectors[rows]


def cosines(vectors: Vectors, vector: Vectors) -> Vectors:
    """Return the dot product of each row with a vector.

    A matrix product would wake all threads of the BLAS library, which then wait for each other: 40 times the CPU for
    5,000 rows.
    """
    found: Vectors = np.vecdot(vectors, vector)
    return found


def cosines_of(vectors: Vectors, rows: Rows | Sequence[int], vector: Vectors) -> Vectors:
    """Return the dot products of some rows with a vector; a few rows at a time stay in the processor's cache."""
    found = np.empty(len(rows), dtype=np.float32)
    copy = np.empty((min(len(rows), _COPIED_AT_ONCE), vectors.shape[1]), dtype=np.float32)
    for start in range(0, len(rows), _COPIED_AT_ONCE):
        part = rows[start : start + _COPIED_AT_ONCE]
        # With mode "clip" nothing is copied twice; rows are of the table, so none is clipped.
        copied = vectors.take(part, axis=0, out=copy[: len(part)], mode="clip")
        np.vecdot(copied, vector, out=found[start : start + len(part)])
    return found


def all_cosines(vectors: Vectors, several: Vectors) -> Vectors:
    """Return the dot products of all rows with several vectors, shape (several, rows)."""
    # A few rows are read at a time, so that they stay in the processor's cache for all vectors.
    found = np.empty((len(several), len(vectors)), dtype=np.float32)
    for start in range(0, len(vectors), _READ_AT_ONCE):
        part = slice(start, start + _READ_AT_ONCE)
        for own, vector in zip(found, several, strict=True):
            np.vecdot(vectors[part], vector, out=own[part])
    return found


def top(scores: Scores, id_ranks: Rows, n: int) -> Rows:
    """Return the positions of the `n` highest scores, best first; ties by ascending id rank."""
    if n >= len(scores):
        return np.lexsort((id_ranks, -scores))
    rows = np.flatnonzero(scores >= _bound(scores, n))
    return rows[np.lexsort((id_ranks[rows], -scores[rows]))][:n]


def _bound(scores: Scores, n: int) -> float:
    """Return a score that at least `n` scores reach, and few more: partitioning all takes long."""
    whole = len(scores) // _BLOCK * _BLOCK
    if whole < _BLOCK * n or not n:
        return float(np.partition(scores, -n)[-n])
    highest = scores[:whole].reshape(-1, _BLOCK).max(axis=1)
    return float(np.partition(highest, -n)[-n])


def standardised(scores: Scores, moments: tuple[float, float] | None = None) -> Floats:
    """Return standardised scores (zero mean, unit deviation); all 0 if they are equal.

    `scores` has shape (rows,); `moments` are mean and standard deviation, if the scores are not of all rows.
    """
    if not len(scores):
        return np.zeros(0, dtype=np.float32)
    if moments is None:
        centred = scores - scores.sum() / len(scores)
        deviation = math.sqrt(float(centred @ centred) / len(centred))
    else:
        mean, deviation = moments
        centred = scores - np.float32(mean)
    if deviation < _NO_DEVIATION:
        return np.zeros(len(scores), dtype=np.float32)
    scaled: Floats = (centred / deviation).astype(np.float32, copy=False)
    return scaled


@dataclass(frozen=True)
class Adjacency:
    """Distinct neighbours of each row, in compressed sparse row form.

    Those of row i are `neighbours[offsets[i] : offsets[i + 1]]`.
    """

    offsets: Rows
    neighbours: Rows
    target_count: int

    @classmethod
    def from_pairs(cls, sources: Rows, targets: Rows, source_count: int, target_count: int) -> Adjacency:
        """Build from pairs in any order, without duplicates."""
        pairs = sources.astype(np.int64) * max(target_count, 1) + targets
        pairs.sort()  # faster than np.unique
        first = np.ones(len(pairs), dtype=bool)
        np.not_equal(pairs[1:], pairs[:-1], out=first[1:])
        sources, targets = np.divmod(pairs[first], max(target_count, 1))
        return cls(np.searchsorted(sources, np.arange(source_count + 1)), targets, target_count)

    def of(self, row: int) -> Rows:
        """Return the neighbours of a row."""
        found: Rows = self.neighbours[self.offsets[row] : self.offsets[row + 1]]
        return found

    def union(self, rows: Rows) -> NDArray[np.bool_]:
        """Return which target rows are a neighbour of any of the rows, shape (target_count,)."""
        found = np.zeros(self.target_count, dtype=bool)
        for row in rows:
            found[self.of(row)] = True
        return found

    def edges(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return the places in `neighbours` of the rows' neighbours, and for each the index of its source in `rows`."""
        counts = self.offsets[rows + 1] - self.offsets[rows]
        sources = np.repeat(np.arange(len(rows)), counts)
        starts = np.repeat(self.offsets[rows] - (np.cumsum(counts) - counts), counts)
        return starts + np.arange(len(sources)), sources

    def pairs(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return the neighbours of the rows, and for each the index of its source in `rows`."""
        places, sources = self.edges(rows)
        return self.neighbours[places], sources


class Tables:
    """Columns of a snapshot as arrays, and ids as row numbers; threads may share it.

    A join raises `SnapshotError` if an id names no row.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.ids = cache(self._ids)

    def column(self, table: str, name: str) -> pa.Array[Any]:
        """Return a column."""
        found: pa.Array[Any] = column(self._snapshot.table(table, [name]), name)
        return found

    def texts(self, table: str, name: str) -> Texts:
        """Return a column of texts, which are decoded when they are read."""
        return Texts(self.column(table, name))

    def numbers(self, table: str, name: str) -> NDArray[Any]:
        """Return a column of numbers without nulls."""
        return numbers(self.column(table, name))

    def _ids(self, key: str) -> pa.Array[Any]:
        """Return the ids that a key names, in the order of their table."""
        key = "entity_id" if key in ("head_id", "tail_id") else key
        kind = key.removesuffix("_id")
        irregular = {"community": "communities", "entity": "entities"}
        return self.column(irregular.get(kind, f"{kind}s"), key)

    def rows(self, table: str, key: str) -> Rows:
        """Return the row that each row's key names in its table."""
        where = f"{self._snapshot.folder.uri}, {table}"
        return rows_of(self._snapshot.table(table, [key]), key, self.ids(key), where)

    def groups(self, table: str, key: str, *by: NDArray[Any]) -> Adjacency:
        """Return the rows with each key, sorted by arrays of which the last counts first."""
        named = self.rows(table, key)
        order = np.lexsort((*by, named))
        ends = np.searchsorted(named[order], np.arange(len(self.ids(key)) + 1))
        return Adjacency(ends, order, len(named))


_Read = Callable[[Rows], list[Any]]


class Records:
    """The rows of a table as dictionaries; immutable, so threads may share it.

    A search returns some five hundred values from scattered rows. Texts and numbers are read from the buffers: making
    an Arrow scalar of each value took a tenth of a search's CPU time.
    """

    def __init__(self, table: pa.Table) -> None:
        self._names = table.column_names
        parts = table.to_batches()  # of a large table, several
        self._parts = [list(map(_reader, part.columns)) for part in parts]
        self._starts = np.cumsum([0, *(part.num_rows for part in parts)])

    def at(self, rows: Sequence[int] | Rows) -> list[dict[str, Any]]:
        """Return some rows, in this order, each as values by column name."""
        places = np.asarray(rows, dtype=np.int64)
        of_part = np.searchsorted(self._starts, places, side="right") - 1
        found: list[dict[str, Any]] = [{}] * len(places)
        for number in np.unique(of_part).tolist():
            own = np.flatnonzero(of_part == number)
            inside = places[own] - self._starts[number]
            values = zip(*[read(inside) for read in self._parts[number]], strict=True)
            for place, row in zip(own.tolist(), values, strict=True):
                found[place] = dict(zip(self._names, row, strict=True))
        return found


class Texts(Sequence[str]):
    """A column of texts without nulls, decoded one by one: a list takes 90 bytes a text."""

    def __init__(self, values: pa.Array[Any]) -> None:
        self._values, self._read = values, _reader(values)

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            return list(self._values[row].to_pylist())
        (text,) = self._read(np.array([range(len(self))[row]]))
        return str(text)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values.to_pylist())


def _reader(values: Any) -> _Read:  # noqa: ANN401 - an array of any Arrow type
    kind = values.type
    if isinstance(values, pa.Array):  # texts too long for one array are in several
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            return _known_only(values, _texts(values))
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            _, data = values.buffers()  # where nulls are, it holds any number
            held = numbers(type(values).from_buffers(kind, len(values), [None, data], offset=values.offset))
            return _known_only(values, lambda rows: held[rows].tolist())
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


def _known_only(values: pa.Array[Any], read: _Read) -> _Read:
    """Return a reader that gives None for nulls."""
    if not values.null_count:
        return read
    known = numbers(values.is_valid())

    def read_known(rows: Rows) -> list[Any]:
        given = zip(read(rows), known[rows].tolist(), strict=True)
        return [value if is_known else None for value, is_known in given]

    return read_known
