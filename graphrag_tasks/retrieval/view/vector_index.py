"""Protocol of a vector index, and the index that is a memory-mapped matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag_tasks.retrieval.view.arrays import (
    Floats,
    Scores,
    Vectors,
    all_cosines,
    cosines,
    cosines_of,
    matrix,
    standardised,
)
from graphrag_tasks.storage.columns import Rows
from graphrag_tasks.storage.snapshots.store import Snapshot

ARRAYS = "arrays"
"""Name of `FlatIndex` in `retrieval.vectors`; other names are vector stores."""


@dataclass(frozen=True)
class Cosines:
    """The cosines of all rows of a kind with one vector.

    Attributes:
        values: Shape (rows,). Unread rows have values below those read.
        moments: Mean and standard deviation over all rows, if not all were read.
        reread: Returns the exact cosines of rows, if not all were read.
    """

    values: Floats
    moments: tuple[float, float] | None = None
    reread: Callable[[Rows], Floats] | None = None

    @cached_property
    def standardised(self) -> Floats:
        """The standardised values."""
        return standardised(self.values, self.moments)

    def of(self, rows: Rows) -> Floats:
        """Return the exact cosines of some rows."""
        return self.values[rows] if self.reread is None else self.reread(rows)


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
        self,
        vectors: Vectors,
        *,
        beside: Scores | None = None,
        allowed: NDArray[np.bool_] | None = None,
    ) -> list[Cosines]:
        """Return the cosines of all rows with several vectors, of shape (several, dimension).

        Args:
            vectors: Unit vectors.
            beside: Scores that the cosines are combined with: an index that does not read all rows
                also reads the best of those above 0.
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
        """Return the vectors of a kind, memory-mapped, with rows as in `ids`.

        Raises:
            SnapshotError: The vectors have another length, or an id has none.
        """
        table = f"{kind}_vectors"
        dimension = int(snapshot.manifest.embedding["dimension"])
        where = f"{snapshot.folder.uri}, {table}"
        return cls(matrix(snapshot.table(table), ids, dimension, where))

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


OpenVectors = Callable[[Snapshot, str, "pa.Array[Any]"], VectorIndex]
"""Returns the vectors of a kind of a visible snapshot, by ids."""
