"""Protocol of a vector index, and the index that is a memory-mapped matrix.

Of many chunks, a question is compared with those of the nearest clusters (`graph.clusters`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag_tasks.core.errors import SnapshotError
from graphrag_tasks.core.progress import read_at_random
from graphrag_tasks.core.schemas import CLUSTER_TABLES
from graphrag_tasks.retrieval.view.arrays import (
    Floats,
    Scores,
    Vectors,
    all_cosines,
    cosines,
    cosines_of,
    matrix,
    standardised,
    top,
)
from graphrag_tasks.storage.artifacts import Rows, column, numbers
from graphrag_tasks.storage.snapshots.store import Snapshot

_NEAREST = 64  # Clusters that are compared with a vector: they hold .996 of the sixty nearest rows of 100,000.
_NEAREST_PART = 32  # Clusters that are compared with each further vector, of which twenty rows are wanted.
_BEST_BESIDE = 1_000  # Rows that are compared for their other scores, as on a server.
_LARGE = 2**32  # Bytes of a matrix that is seldom compared whole, as it would take seconds.
_FEW, _ALLOWED = 10_000, 1_000  # Allowed rows that are all compared, and how many at least where they are more.
ARRAYS = "arrays"  # Name of `FlatIndex` in `retrieval.vectors`; other names are vector stores.


@dataclass(frozen=True)
class Cosines:
    """The cosines of all rows of a kind with one vector.

    Attributes:
        values: Shape (rows,). Unread rows have one value: the mean, or on a server a lower one.
        moments: Mean and standard deviation over all rows, if not all were read.
        reread: Returns the exact cosines of rows, if not all were read.
        read: The rows that were read, ascending, if not all were and the others have one value.
    """

    values: Floats
    moments: tuple[float, float] | None = None
    reread: Callable[[Rows], Floats] | None = None
    read: Rows | None = None

    @cached_property
    def standardised(self) -> Floats:
        """The standardised values."""
        return standardised(self.values, self.moments)

    def standardised_of(self, rows: Rows) -> Floats:
        """Return the exact cosines of some rows, standardised over all rows."""
        if self.reread is None:
            return self.standardised[rows]
        return standardised(self.reread(rows), self.moments)

    def of(self, rows: Rows) -> Floats:
        """Return the exact cosines of some rows."""
        return self.values[rows] if self.reread is None else self.reread(rows)

    def best(self, id_ranks: Rows, n: int) -> Rows:
        """Return the rows with the `n` highest cosines, best first; ties by ascending id rank."""
        if self.read is None or n > len(self.read):
            return top(self.values, id_ranks, n)
        return self.read[top(self.values[self.read], id_ranks[self.read], n)]


class VectorIndex(Protocol):
    """The unit vectors of all chunks, entities or relations that a reader sees, by row number.

    An index on a server raises `TransientError` if the server fails.
    """

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def __len__(self) -> int:
        """Return how many rows there are."""

    def cosines(
        self, vectors: Vectors, *, beside: Scores | None = None, allowed: NDArray[np.bool_] | None = None
    ) -> list[Cosines]:
        """Return the cosines of all rows with several vectors, of shape (several, dimension).

        Args:
            vectors: Unit vectors.
            beside: Scores that the cosines are combined with: an index that does not read all rows also reads the best
                of those above 0.
            allowed: The rows that may be returned: the nearest of these are read too.
        """

    def cosines_of(self, rows: Rows | Sequence[int], vector: Vectors) -> Floats:
        """Return the exact cosines of some rows with a vector."""

    def take(self, rows: Rows) -> Vectors:
        """Return the vectors of some rows, shape (rows, dimension)."""


class FlatIndex:
    """All rows as one matrix of shape (rows, dimension), compared exhaustively."""

    def __init__(self, vectors: Vectors) -> None:
        self.matrix = vectors

    @classmethod
    def of(cls, snapshot: Snapshot, kind: str, ids: pa.Array[Any]) -> FlatIndex:
        """Return the vectors of a kind, memory-mapped, with rows as in `ids`."""
        table = f"{kind}_vectors"
        dimension = int(snapshot.manifest.embedding["dimension"])
        where = f"{snapshot.folder.uri}, {table}"
        vectors = matrix(snapshot.table(table), ids, dimension, where)
        clusters = Clusters.of(snapshot, where) if kind == "chunk" else None
        if clusters is not None or vectors.nbytes > _LARGE:
            read_at_random(vectors)
        return cls(vectors) if clusters is None else ClusteredIndex(vectors, clusters)

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self.matrix.shape[1])

    def __len__(self) -> int:
        return len(self.matrix)

    def cosines(
        self,
        vectors: Vectors,
        *,
        beside: Scores | None = None,  # noqa: ARG002 - all rows are read
        allowed: NDArray[np.bool_] | None = None,  # noqa: ARG002
    ) -> list[Cosines]:
        """Return the cosines of all rows with several vectors."""
        if len(vectors) == 1:
            return [Cosines(cosines(self.matrix, vectors[0]))]
        return list(map(Cosines, all_cosines(self.matrix, vectors)))

    def cosines_of(self, rows: Rows | Sequence[int], vector: Vectors) -> Floats:
        """Return the cosines of some rows with a vector."""
        return cosines_of(self.matrix, rows, vector)

    def take(self, rows: Rows) -> Vectors:
        """Return the vectors of some rows."""
        found: Vectors = self.matrix[rows]
        return found


@dataclass(frozen=True)
class Clusters:
    """The rows of clusters: those of cluster i are `rows[ends[i - 1] : ends[i]]`.

    Attributes:
        centroids: Shape (clusters, dimension).
        mean: Of all vectors, shape (dimension,).
        outer: Mean outer product of all vectors, shape (dimension, dimension).
    """

    rows: Rows
    ends: Rows
    centroids: Vectors
    mean: Vectors
    outer: Vectors

    @classmethod
    def of(cls, snapshot: Snapshot, where: str) -> Clusters | None:
        """Return the clusters of a snapshot's chunks, or None if there are none."""
        clustered, clusters, moments = map(snapshot.table, CLUSTER_TABLES)
        if not clusters.num_rows:
            return None
        rows, ends = numbers(column(clustered, "row")), numbers(column(clusters, "end"))
        if len(rows) != ends[-1]:
            raise SnapshotError(f"clusters end at {ends[-1]} of {len(rows)} rows", where)
        mean, *outer = _rows(moments, "numbers")
        return cls(rows, ends, _rows(clusters, "centroid"), mean, np.array(outer))

    def near(self, vector: Vectors, clusters: int) -> list[Rows]:
        """Return the rows of the nearest clusters."""
        count = min(clusters, len(self.ends))
        nearest = np.argpartition(cosines(self.centroids, vector), -count)[-count:]
        starts = np.concatenate([[0], self.ends])
        return [self.rows[starts[one] : starts[one + 1]] for one in nearest.tolist()]

    def near_allowed(self, vector: Vectors, allowed: NDArray[np.bool_]) -> Rows:
        """Return the allowed rows of the nearest clusters, `_ALLOWED` or a few more.

        A filter may hold just what is far from the question: pages of another language, say.
        """
        nearest = np.argsort(-cosines(self.centroids, vector), kind="stable")
        held = np.concatenate([[0], np.cumsum(allowed[self.rows])])
        starts = np.concatenate([[0], self.ends])
        enough = np.cumsum((held[starts[1:]] - held[starts[:-1]])[nearest])
        count = int(np.searchsorted(enough, _ALLOWED)) + 1
        rows = np.concatenate([self.rows[starts[one] : starts[one + 1]] for one in nearest[:count].tolist()])
        found: Rows = rows[allowed[rows]]
        return found

    def moments(self, vector: Vectors) -> tuple[float, float]:
        """Return the mean and the standard deviation of all cosines with a vector."""
        mean = float(self.mean @ vector)
        square = float(vector @ cosines(self.outer, vector))
        return mean, math.sqrt(max(square - mean**2, 0.0))


def _rows(table: pa.Table, name: str) -> Vectors:
    flat = numbers(column(table, name).flatten())
    rows: Vectors = flat.reshape(table.num_rows, -1)
    return rows


class ClusteredIndex(FlatIndex):
    """All rows, of which those of the nearest clusters are compared.

    Compared are also the best rows by other scores, and the allowed rows: all if they are few, those of the clusters
    nearest to the question if not. The others get the mean of all.
    """

    def __init__(self, vectors: Vectors, clusters: Clusters) -> None:
        super().__init__(vectors)
        self._clusters = clusters

    def cosines(
        self, vectors: Vectors, *, beside: Scores | None = None, allowed: NDArray[np.bool_] | None = None
    ) -> list[Cosines]:
        """Return the cosines of the rows near each vector, most of them near the first; the others get the mean."""
        always = np.zeros(len(self), dtype=bool)
        if allowed is not None and np.count_nonzero(allowed) <= _FEW:
            always |= allowed
        elif allowed is not None:
            always[self._clusters.near_allowed(vectors[0], allowed)] = True
        found = []
        for place, vector in enumerate(vectors):
            is_read = always.copy()
            is_read[np.concatenate(self._clusters.near(vector, _NEAREST_PART if place else _NEAREST))] = True
            if beside is not None and not place:
                best = top(beside, np.arange(len(beside)), _BEST_BESIDE)
                is_read[best[beside[best] > 0]] = True
            found.append(self._of(vector, np.flatnonzero(is_read)))
        return found

    def _of(self, vector: Vectors, rows: Rows) -> Cosines:
        moments = self._clusters.moments(vector)
        values = np.full(len(self), moments[0], dtype=np.float32)
        values[rows] = self.cosines_of(rows, vector)
        return Cosines(values, moments, lambda some: self.cosines_of(some, vector), rows)


OpenVectors = Callable[[Snapshot, str, "pa.Array[Any]"], VectorIndex]
"""Returns the vectors of a kind of a visible snapshot, by ids."""
