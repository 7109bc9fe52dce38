"""Communities as arrays: their members, their texts for lexical search, and a vector each."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag_tasks.language.bm25 import Lexicon
from graphrag_tasks.retrieval.view.arrays import Adjacency, Vectors, column, rows_of
from graphrag_tasks.snapshots.store import Snapshot

_COLUMNS = ["community_id", "level", "parent_id", "title", "summary", "size"]


class Communities:
    """The communities of a snapshot; never changed once built.

    Args:
        snapshot: The pinned snapshot.
        entities: Entity ids in order of their rows.
        vectors: The entities' vectors.

    Attributes:
        levels: Level of each community; 0 is the coarsest.
        sizes: Number of entities of each community.
    """

    def __init__(self, snapshot: Snapshot, entities: pa.Array[Any], vectors: Vectors) -> None:
        self._table = snapshot.table("communities", _COLUMNS).combine_chunks()
        self._vectors = vectors
        members = snapshot.table("members", ["community_id", "entity_id", "centrality"])
        where = f"{snapshot.folder.uri}, members"
        ids = column(self._table, "community_id")
        self._of = rows_of(members, "community_id", ids, where)
        self._entities = rows_of(members, "entity_id", entities, where)
        self._centrality = column(members, "centrality").to_numpy().astype(np.float32)
        self.levels: NDArray[np.int32] = column(self._table, "level").to_numpy()
        self.sizes: NDArray[np.int32] = column(self._table, "size").to_numpy()

    def __len__(self) -> int:
        """Return the number of communities of all levels."""
        return len(self.levels)

    def rows(self, rows: list[int]) -> list[dict[str, Any]]:
        """Return rows of the table `communities`, in the order given."""
        taken: list[dict[str, Any]] = self._table.take(pa.array(rows, pa.int64())).to_pylist()
        return taken

    @cached_property
    def of_entity(self) -> Adjacency:
        """Communities of each entity, of all levels."""
        return Adjacency.from_pairs(self._entities, self._of, len(self._vectors), len(self))

    @cached_property
    def lexicon(self) -> Lexicon:
        """BM25 over titles and summaries."""
        texts = self._table.to_pylist()
        return Lexicon.of([f"{one['title']}\n{one['summary']}" for one in texts])

    @cached_property
    def vectors(self) -> Vectors:
        """Unit mean of the members' vectors, weighted by centrality.

        Shape (communities, dimension). Summaries are not embedded; the names of central members say
        what a community is about.
        """
        total = np.zeros((len(self), self._vectors.shape[1]), dtype=np.float32)
        weights = (1.0 + self._centrality)[:, None]
        np.add.at(total, self._of, weights * self._vectors[self._entities])
        lengths = np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-9)
        vectors: Vectors = (total / lengths).astype(np.float32)
        return vectors
