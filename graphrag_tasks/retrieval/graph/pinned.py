"""The pinned snapshot as arrays: ids, vectors and adjacency; no texts but entity names."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.language.bm25 import Lexicon
from graphrag_tasks.retrieval.graph.communities import Communities
from graphrag_tasks.retrieval.graph.mentions import named_mentions
from graphrag_tasks.retrieval.graph.name_graph import NameGraph
from graphrag_tasks.retrieval.graph.names import folded_name
from graphrag_tasks.retrieval.graph.spelling import spelled_as_names
from graphrag_tasks.retrieval.graph.subjects import what_chunks_are_about
from graphrag_tasks.retrieval.view.arrays import (
    Adjacency,
    Rows,
    Vectors,
    column,
    id_ranks,
    matrix,
    rows_of,
)
from graphrag_tasks.snapshots.store import Snapshot


def name_key(name: str) -> str:
    """Return what names are compared by: casefolded, inner whitespace runs one space, no ends."""
    return " ".join(name.casefold().split())


class Nodes:
    """The rows of one kind: ids, ranks of the ids, and unit vectors.

    Args:
        snapshot: The pinned snapshot.
        kind: chunk, entity or relation.
        ids: Ids in row order.
    """

    def __init__(self, snapshot: Snapshot, kind: str, ids: pa.Array[Any]) -> None:
        self.ids = ids
        self.id_ranks = id_ranks(ids)
        table = f"{kind}_vectors"
        dimension = int(snapshot.manifest.embedding["dimension"])
        self.vectors: Vectors = matrix(
            snapshot.table(table), ids, dimension, f"{snapshot.folder.uri}, {table}"
        )

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.ids)

    def row_of(self, item_id: str) -> int | None:
        """Return the row of an id, or None where there is none."""
        row: int = pc.index(self.ids, item_id).as_py()
        return None if row < 0 else row


class Graph:
    """Entities, relations and chunks of a snapshot, addressed by row number.

    What is built here is never changed again, so any number of threads may read it.

    Attributes:
        chunks: The chunks.
        entities: The entities.
        relations: The relations.

    Raises:
        SnapshotError: Tables do not fit together.
        ArtifactError: A table is missing or unreadable.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._relations = snapshot.table("relations", ["relation_id", "head_id", "tail_id"])
        self._where = snapshot.folder.uri
        self.chunks = Nodes(snapshot, "chunk", _ids(snapshot, "chunks", "chunk_id"))
        self.entities = Nodes(snapshot, "entity", _ids(snapshot, "entities", "entity_id"))
        self.relations = Nodes(snapshot, "relation", column(self._relations, "relation_id"))

    @cached_property
    def heads(self) -> Rows:
        """Entity row each relation starts at."""
        return rows_of(self._relations, "head_id", self.entities.ids, f"{self._where}, relations")

    @cached_property
    def tails(self) -> Rows:
        """Entity row each relation ends at."""
        return rows_of(self._relations, "tail_id", self.entities.ids, f"{self._where}, relations")

    @cached_property
    def entity_names(self) -> list[str]:
        """Display name of each entity."""
        names: list[str] = column(self._snapshot.table("entities", ["name"]), "name").to_pylist()
        return names

    @cached_property
    def relation_support(self) -> NDArray[np.float64]:
        """How well each relation is supported: confidence times the logarithm of its evidence."""
        table = self._snapshot.table("relations", ["weight", "confidence"])
        weight, confidence = (column(table, name).to_numpy() for name in table.column_names)
        support: NDArray[np.float64] = np.log2(1.0 + weight) * confidence
        return support

    @cached_property
    def relation_words(self) -> list[str]:
        """Canonical form of each relation: the words between its ends."""
        words: list[str] = column(
            self._snapshot.table("relations", ["relation"]), "relation"
        ).to_pylist()
        return words

    @cached_property
    def denied(self) -> NDArray[np.bool_]:
        """Whether the sources deny each relation."""
        negated = column(self._snapshot.table("relations", ["negated"]), "negated")
        denied: NDArray[np.bool_] = negated.to_numpy(zero_copy_only=False)
        return denied

    @cached_property
    def entity_types(self) -> list[str | None]:
        """Label of each entity; None where it has none."""
        types: list[str | None] = column(
            self._snapshot.table("entities", ["type"]), "type"
        ).to_pylist()
        return types

    @cached_property
    def entity_relations(self) -> Adjacency:
        """Relations that touch each entity, as head or as tail."""
        relations = np.arange(len(self.relations))
        return Adjacency.from_pairs(
            np.concatenate([self.heads, self.tails]),
            np.concatenate([relations, relations]),
            source_count=len(self.entities),
            target_count=len(self.relations),
        )

    @cached_property
    def degrees(self) -> Rows:
        """Number of relations that touch each entity."""
        return np.diff(self.entity_relations.offsets)

    def steps(self, entity: int) -> list[tuple[int, int]]:
        """Return each relation that touches an entity, with the entity at its other end."""
        near = self.entity_relations
        relations = near.neighbours[near.offsets[entity] : near.offsets[entity + 1]]
        others = np.where(
            self.heads[relations] == entity, self.tails[relations], self.heads[relations]
        )
        return list(zip(relations.tolist(), others.tolist(), strict=True))

    @cached_property
    def entity_chunks(self) -> Adjacency:
        """Chunks that mention each entity: the entity-chunk edges."""
        return self._chunks_by("mentions", "entity_id", self.entities)

    @cached_property
    def relation_chunks(self) -> Adjacency:
        """Chunks that each relation's evidence lies in."""
        return self._chunks_by("evidence", "relation_id", self.relations)

    @cached_property
    def chunk_relations(self) -> Adjacency:
        """Relations that have evidence in each chunk."""
        data = self._snapshot.table("evidence", ["relation_id", "chunk_id"])
        where = f"{self._where}, evidence"
        return Adjacency.from_pairs(
            rows_of(data, "chunk_id", self.chunks.ids, where),
            rows_of(data, "relation_id", self.relations.ids, where),
            source_count=len(self.chunks),
            target_count=len(self.relations),
        )

    @cached_property
    def lexicon(self) -> Lexicon:
        """BM25 over the chunks, each below its document's title and the headings above it."""
        return self._lexicon("text")

    @cached_property
    def heading_lexicon(self) -> Lexicon:
        """BM25 over the title and headings of each chunk."""
        return self._lexicon("heading")

    def _lexicon(self, field: str) -> Lexicon:
        terms, postings = (
            self._snapshot.table(f"{field}_{part}") for part in ("terms", "postings")
        )
        return Lexicon(terms, postings, len(self.chunks))

    @cached_property
    def chunk_documents(self) -> Rows:
        """Row of each chunk's document."""
        documents = column(self._snapshot.table("documents", ["document_id"]), "document_id")
        chunks = self._snapshot.table("chunks", ["document_id"])
        return rows_of(chunks, "document_id", documents, f"{self._where}, chunks")

    @cached_property
    def documents_per_chunk(self) -> float:
        """1 where each document is one chunk, less the longer documents are."""
        return len(np.unique(self.chunk_documents)) / max(len(self.chunks), 1)

    @cached_property
    def name_graph(self) -> NameGraph:
        """Which chunks hold which names: titles, and entities with a label or a name's spelling."""
        ids = self.chunks.ids, self.entities.ids
        named = np.array([one is not None for one in self.entity_types], dtype=bool)
        named |= spelled_as_names(self._snapshot, self.entities.ids)
        return NameGraph(
            named_mentions(self._snapshot, *ids),
            what_chunks_are_about(self._snapshot, *ids, named),
            named=named,
            called=self.called,
            surface_forms=self._names_of,
            chunks=len(self.chunks),
        )

    @cached_property
    def called(self) -> dict[str, list[int]]:
        """Entity rows by each folded name that they have, those of most mentions first."""
        mentions = column(self._snapshot.table("entities", ["mentions"]), "mentions").to_numpy()
        found: dict[str, dict[int, None]] = {}
        for row in np.lexsort((self.entities.id_ranks, -mentions)).tolist():
            for name in self._names_of[row]:
                if key := folded_name(name):
                    found.setdefault(key, {})[row] = None
        return {key: list(rows) for key, rows in found.items()}

    def named_entities(self, key: str) -> list[int]:
        """Return entity rows whose display name or an alias has these words, in order of id."""
        return sorted(self.called.get(key, ()), key=self.entities.id_ranks.__getitem__)

    @cached_property
    def _names_of(self) -> list[list[str]]:
        """The display name of each entity, and its aliases."""
        aliases = self._snapshot.table("aliases", ["entity_id", "alias"])
        rows = rows_of(aliases, "entity_id", self.entities.ids, f"{self._where}, aliases")
        found = [[name] for name in self.entity_names]
        for row, alias in zip(rows.tolist(), column(aliases, "alias").to_pylist(), strict=True):
            if alias != found[row][0]:
                found[row].append(alias)
        return found

    @cached_property
    def names(self) -> dict[str, Rows]:
        """Entity rows, in order of id, by `name_key` of each display name and alias."""
        found: dict[str, set[int]] = {}
        for row, names in enumerate(self._names_of):
            for name in names:
                found.setdefault(name_key(name), set()).add(row)
        ranks = self.entities.id_ranks
        return {
            key: np.array(sorted(group, key=ranks.__getitem__), dtype=np.int64)
            for key, group in found.items()
        }

    @cached_property
    def communities(self) -> Communities:
        """The communities, with a vector each."""
        return Communities(self._snapshot, self.entities.ids, self.entities.vectors)

    def _chunks_by(self, table: str, key: str, nodes: Nodes) -> Adjacency:
        data = self._snapshot.table(table, [key, "chunk_id"])
        where = f"{self._where}, {table}"
        return Adjacency.from_pairs(
            rows_of(data, key, nodes.ids, where),
            rows_of(data, "chunk_id", self.chunks.ids, where),
            source_count=len(nodes),
            target_count=len(self.chunks),
        )


def _ids(snapshot: Snapshot, table: str, key: str) -> pa.Array[Any]:
    ids: pa.Array[Any] = column(snapshot.table(table, [key]), key)
    return ids
