"""The vectors of a kind on a server: nearest rows by search, others by key.

For up to `MOST_ROWS` visible rows, every cosine is read, with the same results as the matrix. For more rows, these are
read: the nearest, the best by the combined scores, the nearest that a filter allows, and a sample for mean and
deviation. All others get one value: the sample's mean, or the least value read if that is lower.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.embed.vectors.fields import Where
from graphrag_tasks.embed.vectors.vector_store import VectorHit
from graphrag_tasks.retrieval.view import served_rows
from graphrag_tasks.retrieval.view.arrays import Floats, Scores, Vectors, top
from graphrag_tasks.retrieval.view.served_rows import ServedRows
from graphrag_tasks.retrieval.view.vector_index import Cosines
from graphrag_tasks.storage.columns import Rows, numbers, rows_of

_LEAST_READ = 1_000
"""Nearest rows that are read of many, and rows that are the best by other scores: as many as the chunks that one
search returns."""

_SAMPLE = 2_000
"""Rows whose vectors a reader keeps for mean and deviation of the rows not read, 3 MB of 384 numbers each: the mean
is off by a fiftieth of the deviation."""

_SEED = 0  # Of the sample, so that two readers choose the same rows.
_MOST_VALUES = 1_000  # Values of a field in a filter that is pushed down; chosen.
_PUSHED_DOWN = ("media_type", "document_id")  # Fields that a filter is pushed down by, the one with fewer values first.


class ServedIndex:
    """The vectors of a kind that a reader sees, on a server; a `VectorIndex`.

    A row whose visible wording differs from the published one has a zero vector.

    Args:
        served: Returns the reader's rows; called on first use.
        ids: Ids of all visible rows.
        dimension: Length of a vector.
    """

    def __init__(self, served: Callable[[], ServedRows], ids: pa.Array[Any], dimension: int) -> None:
        self._open = served
        self._ids = ids
        self.dimension = dimension

    def __len__(self) -> int:
        return len(self._ids)

    @cached_property
    def _served(self) -> ServedRows:
        return self._open()

    @cached_property
    def _rows(self) -> Rows:
        return rows_of(self._served.table, "id", self._ids, "vectors")

    @cached_property
    def _places(self) -> Rows:
        """The served position of each row; -1 for zero vectors."""
        places = np.full(len(self), -1, dtype=np.int64)
        places[self._rows] = np.arange(len(self._rows))
        return places

    def cosines(
        self, vectors: Vectors, *, beside: Scores | None = None, allowed: NDArray[np.bool_] | None = None
    ) -> list[Cosines]:
        """Return the cosines of all rows with several vectors."""
        return [self._cosines(vector, beside, allowed) for vector in vectors]

    def cosines_of(self, rows: Rows | Sequence[int], vector: Vectors) -> Floats:
        """Return the cosines of some rows with a vector."""
        distinct, places = np.unique(np.asarray(rows, dtype=np.int64), return_inverse=True)
        found: Floats = np.vecdot(self.take(distinct), vector)[places]
        return found

    def take(self, rows: Rows) -> Vectors:
        """Return the vectors of some rows."""
        found = np.zeros((len(rows), self.dimension), dtype=np.float32)
        distinct, inverse = np.unique(self._places[rows], return_inverse=True)
        served = distinct[distinct >= 0]
        if len(served):
            vectors = self._served.vectors(served.tolist())
            held = self._places[rows] >= 0
            found[held] = vectors[inverse[held] - (len(distinct) - len(served))]
        return found

    def _cosines(self, vector: Vectors, beside: Scores | None, allowed: NDArray[np.bool_] | None) -> Cosines:
        served = self._served
        read = _Read(self, vector)
        few = len(served) <= served_rows.MOST_ROWS
        least = len(served) if few else _LEAST_READ
        hits = served.nearest(vector, least, asked=served_rows.MOST_ROWS) if len(served) else []
        read.note(hits)
        if few:
            read.fetch(np.arange(len(self)))
            return Cosines(read.values)
        if beside is not None:
            best = top(beside, np.arange(len(beside)), _LEAST_READ)
            read.fetch(best[beside[best] > 0])
        behind = hits[-1].score if hits else -1.0  # the sample says which rows the server lacks
        if allowed is not None and not read.known[allowed].all():
            nearest = self._nearest_of(vector, allowed, read.known)
            read.note(nearest)
            behind = min([behind, *(hit.score for hit in nearest[-1:])])
        return read.with_rest(*self._sample, behind)

    def _nearest_of(self, vector: Vectors, allowed: NDArray[np.bool_], known: NDArray[np.bool_]) -> list[VectorHit]:
        """Return the nearest of the allowed rows, by a field filter or by keys."""
        where = self._where(allowed[self._rows])
        if where is not None:
            most = served_rows.MOST_ROWS
            return self._served.nearest(vector, _LEAST_READ, where, asked=most)
        places = self._places[allowed & ~known]
        keys = [self._served.keys[place] for place in places[places >= 0]]
        return self._served.among(keys, vector, max(len(keys), 1))

    def _where(self, allowed: NDArray[np.bool_]) -> Where | None:
        """Return a field filter that exactly the allowed rows match, if there is one."""
        table = self._served.table
        for name in _PUSHED_DOWN:
            if name not in table.column_names:
                continue
            values = table[name].filter(pa.array(allowed)).unique().drop_null()
            fits = pc.is_in(table[name], value_set=values).combine_chunks()
            if len(values) <= _MOST_VALUES and (numbers(fits) == allowed).all():
                return {name: values.to_pylist()}
        return None

    @cached_property
    def _sample(self) -> tuple[Rows, Vectors]:
        """Some rows, drawn at random, and their vectors."""
        generator = np.random.Generator(np.random.PCG64(_SEED))
        count = min(_SAMPLE, len(self._rows))
        rows = generator.choice(self._rows, size=count, replace=False)
        return rows, self.take(rows)


class _Read:
    """The cosines read so far with one vector: `values` of the `known` rows."""

    def __init__(self, index: ServedIndex, vector: Vectors) -> None:
        self._index = index
        self._vector = vector
        self.values = np.zeros(len(index), dtype=np.float32)
        self.known: NDArray[np.bool_] = index._places < 0

    def note(self, hits: Iterable[VectorHit]) -> None:
        found = list(hits)
        places = [self._index._served.places[hit.key] for hit in found]
        rows = self._index._rows[np.array(places, dtype=np.int64)]
        self.values[rows] = [hit.score for hit in found]
        self.known[rows] = True

    def fetch(self, rows: Rows) -> None:
        new = rows[~self.known[rows]]
        if len(new):
            self.values[new] = self._index.cosines_of(new, self._vector)
            self.known[new] = True

    def with_rest(self, sample: Rows, vectors: Vectors, behind: float) -> Cosines:
        """Return the cosines, with mean and deviation estimated from a sample of unread rows.

        Args:
            sample: Rows drawn at random from all.
            vectors: Their vectors.
            behind: The least score of a row found near: unread rows may not have more.
        """
        unread = ~self.known[sample]
        drawn = np.vecdot(vectors[unread], self._vector).astype(np.float64)
        exact = self.values[self.known].astype(np.float64)
        rest, count = len(self.values) - len(exact), len(self.values)
        of_rest, squares_of_rest = (
            (float(drawn.mean()), float(drawn @ drawn) / len(drawn)) if len(drawn) else (behind, behind**2)
        )
        mean = (float(exact.sum()) + rest * of_rest) / count
        squares = (float(exact @ exact) + rest * squares_of_rest) / count
        known, values = self.known, self.values
        values[~known] = min(of_rest, behind)
        values[sample[unread]] = drawn
        known[sample] = True

        def reread(rows: Rows) -> Floats:
            self.fetch(rows)
            return values[rows]

        return Cosines(values, (mean, max(squares - mean**2, 0.0) ** 0.5), reread)
