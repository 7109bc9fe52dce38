"""The opened snapshot as arrays: ids, vectors, adjacency and evidence; no texts except entity names."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag_tasks.core.schemas import NO_ROW
from graphrag_tasks.graph.weights import FACT, MENTION, relation_weights
from graphrag_tasks.language.bm25 import Lexicon
from graphrag_tasks.language.names import agreeing
from graphrag_tasks.language.times import TIME_COLUMNS
from graphrag_tasks.retrieval.graph.linking import Linker, NameGraph, Spellings
from graphrag_tasks.retrieval.view.arrays import Adjacency, Floats, Records, Tables, Texts, Vectors, id_ranks
from graphrag_tasks.retrieval.view.vector_index import FlatIndex, OpenVectors, VectorIndex
from graphrag_tasks.storage.artifacts import Rows, SortedTexts, column, numbers
from graphrag_tasks.storage.snapshots.store import Snapshot


class Evidence(NamedTuple):
    """The evidence of relation i is `offsets[i] : offsets[i + 1]` of the arrays, surest first."""

    offsets: Rows
    sentences: Rows
    chunks: Rows
    confidences: Floats
    times: Records


class Joins:
    """Row numbers of ends of relations, mentions, and evidence: published, or joined for some readers.

    A reader who sees all documents maps what `load` numbered. For others the ids of visible rows are joined.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot, self.tables = snapshot, Tables(snapshot)
        self._published = "edges" in snapshot.manifest.tables

    @cached_property
    def heads(self) -> Rows:
        """Head entity of each relation."""
        return self._ends("source") if self._published else self.tables.rows("relations", "head_id")

    @cached_property
    def tails(self) -> Rows:
        """Tail entity of each relation."""
        return self._ends("target") if self._published else self.tables.rows("relations", "tail_id")

    @cached_property
    def entity_chunks(self) -> Adjacency:
        """Chunks that mention each entity."""
        entities, chunks = (len(self.tables.ids(f"{kind}_id")) for kind in ("entity", "chunk"))
        if not self._published:
            rows = self.tables.rows("mentions", "entity_id"), self.tables.rows("mentions", "chunk_id")
            return Adjacency.from_pairs(*rows, entities, chunks)
        kinds = self._edges["kind"]
        end = bisect_left(range(len(kinds)), True, self._related, key=lambda row: kinds[row].as_py() != MENTION)
        source, target = (numbers(column(self._edges, name))[self._related : end] for name in ("source", "target"))
        return Adjacency(_offsets(source, entities), target - entities, chunks)

    @cached_property
    def evidence(self) -> Evidence:
        """Evidence of each relation."""
        count = len(self.tables.ids("relation_id"))
        if self._published:
            rows = self._snapshot.table("evidence_rows")
            of_relation, sentences, chunks, confidences = (
                numbers(column(rows, name)) for name in rows.column_names[: -len(TIME_COLUMNS)]
            )
            times = Records(rows.select(TIME_COLUMNS))
            return Evidence(_offsets(of_relation, count), sentences, chunks, confidences, times)
        of_relation, sentences, chunks = (
            self.tables.rows("evidence", f"{kind}_id") for kind in ("relation", "sentence", "chunk")
        )
        confidences = self.tables.numbers("evidence", "confidence")
        ranks = id_ranks(self.tables.ids("sentence_id"))[sentences]
        order = np.lexsort((ranks, -confidences, of_relation))
        times = Records(self._snapshot.table("evidence", TIME_COLUMNS).take(order))
        return Evidence(_offsets(of_relation, count), sentences[order], chunks[order], confidences[order], times)

    @cached_property
    def first_sentences(self) -> Rows:
        """Sentence of each entity's first mention; `NO_ROW` without a mention."""
        if self._published:
            found: Rows = numbers(column(self._snapshot.table("entity_rows"), "sentence"))
            return found
        entities = self.tables.rows("mentions", "entity_id")
        first_rows = np.full(len(self.tables.ids("entity_id")), NO_ROW, dtype=np.int64)
        mentioned, first = np.unique(entities, return_index=True)
        first_rows[mentioned] = self.tables.rows("mentions", "sentence_id")[first]
        return first_rows

    @cached_property
    def _edges(self) -> pa.Table:
        return self._snapshot.table("edges")

    @property
    def _related(self) -> int:
        """Number of edges that are relations: those with a row, which come first."""
        known: int = self._edges.num_rows - self._edges["row"].null_count
        return known

    def _ends(self, name: str) -> Rows:
        ends: Rows = numbers(column(self._edges, name))[: self._related].astype(np.int64)
        return ends


def _offsets(sorted_rows: NDArray[Any], count: int) -> Rows:
    """Return where each row begins in an ascending list, and the end of the last."""
    offsets = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(sorted_rows, minlength=count), out=offsets[1:])
    return offsets


_PASSAGES = 0.5
"""Documents per chunk from which documents count as passages; no measured corpus is near it (.07 and 1)."""

_MEMBERS_AT_ONCE = 10_000  # Members of communities whose vectors are read at once: bounds memory.

_COMMUNITY_COLUMNS = ["community_id", "level", "parent_id", "title", "summary", "size"]


def name_key(name: str) -> str:
    """Return a name casefolded and with single spaces, for comparing names."""
    return " ".join(name.casefold().split())


class Nodes:
    """Chunks, entities or relations: ids, id ranks, and unit vectors."""

    def __init__(self, ids: pa.Array[Any], vectors: VectorIndex) -> None:
        self.ids = ids
        self.vectors = vectors

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def id_ranks(self) -> Rows:
        """The position of each id in sorted order, which breaks ties; computed on first use."""
        return id_ranks(self.ids)

    def row_of(self, item_id: str) -> int | None:
        """Return the row of an id, or None."""
        return self._sorted_ids.row_of(item_id)

    @cached_property
    def _sorted_ids(self) -> SortedTexts:
        return SortedTexts(self.ids, np.argsort(self.id_ranks))


class Communities:
    """The communities of a snapshot, level 0 the coarsest; immutable."""

    def __init__(self, snapshot: Snapshot, tables: Tables, vectors: VectorIndex) -> None:
        self._table = snapshot.table("communities", _COMMUNITY_COLUMNS).combine_chunks()
        self._vectors = vectors
        self._of = tables.rows("members", "community_id")
        self._entities = tables.rows("members", "entity_id")
        self._centrality = tables.numbers("members", "centrality").astype(np.float32)
        self.levels: NDArray[np.int32] = numbers(column(self._table, "level"))
        self.sizes: NDArray[np.int32] = numbers(column(self._table, "size"))

    def __len__(self) -> int:
        return len(self.levels)

    def rows(self, rows: list[int]) -> list[dict[str, Any]]:
        """Return rows of the table `communities`, in this order."""
        taken: list[dict[str, Any]] = self._table.take(pa.array(rows, pa.int64())).to_pylist()
        return taken

    def members(self, community: int) -> tuple[Rows, Floats]:
        """Return the entities of a community, by ascending row, and their centrality."""
        places = np.flatnonzero(self._of == community)
        places = places[np.argsort(self._entities[places])]
        return self._entities[places], self._centrality[places]

    @cached_property
    def of_entity(self) -> Adjacency:
        """Communities of each entity, on all levels."""
        return Adjacency.from_pairs(self._entities, self._of, len(self._vectors), len(self))

    @cached_property
    def coarsest(self) -> Level:
        """The largest communities, for comparing a question with them."""
        return self._level(self.levels.min())

    @cached_property
    def finest(self) -> Level:
        """The smallest communities, for comparing a question with them."""
        return self._level(self.levels.max())

    def _level(self, level: np.int32) -> Level:
        rows = np.flatnonzero(self.levels == level)
        places = np.full(len(self), -1)
        places[rows] = np.arange(len(rows))
        members = np.flatnonzero(places[self._of] >= 0)
        members = members[np.argsort(places[self._of[members]], kind="stable")]
        of, entities = places[self._of[members]], self._entities[members]
        return Level(rows, self._table, of, entities, self._centrality[members], self._vectors)


class Level:
    """The communities of one level; immutable. What is compared with is made on first use.

    Attributes:
        rows: Their rows in `communities`, ascending.
    """

    def __init__(
        self, rows: Rows, table: pa.Table, of: Rows, entities: Rows, centrality: Floats,
        vectors: VectorIndex,
    ) -> None:  # fmt: skip
        self.rows = rows
        self._table, self._of, self._entities = table, of, entities
        self._centrality, self._vectors = centrality, vectors

    @cached_property
    def lexicon(self) -> Lexicon:
        """BM25 over titles and summaries."""
        own = self._table.select(["title", "summary"]).take(self.rows)
        texts = (one.to_pylist() for one in own.columns)
        return Lexicon.of([f"{title}\n{summary}" for title, summary in zip(*texts, strict=True)])

    @cached_property
    def vectors(self) -> Vectors:
        """Unit mean of the members' vectors, weighted by centrality: (communities, dimension)."""
        total = np.zeros((len(self.rows), self._vectors.dimension), dtype=np.float32)
        for start in range(0, len(self._of), _MEMBERS_AT_ONCE):
            part = slice(start, start + _MEMBERS_AT_ONCE)
            of = self._of[part]
            weighted = (1 + self._centrality[part])[:, None] * self._vectors.take(self._entities[part])
            first = np.flatnonzero(np.diff(of, prepend=-1))
            total[of[first]] += np.add.reduceat(weighted, first)
        lengths = np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-9)
        vectors: Vectors = (total / lengths).astype(np.float32)
        return vectors


class Graph(Joins):
    """Entities, relations and chunks of a snapshot, addressed by row number.

    Immutable, so threads may share it.

    Args:
        snapshot: The visible snapshot.
        vectors: Returns the vectors of a kind; memory-mapped by default.
    """

    def __init__(self, snapshot: Snapshot, vectors: OpenVectors = FlatIndex.of) -> None:
        super().__init__(snapshot)
        ids = {kind: self.tables.ids(f"{kind}_id") for kind in ("chunk", "entity", "relation")}
        self.chunks, self.entities, self.relations = (
            Nodes(of_kind, vectors(snapshot, kind, of_kind)) for kind, of_kind in ids.items()
        )

    @cached_property
    def reference_chunks(self) -> NDArray[np.bool_] | None:
        """Whether each chunk is contents, index or bibliography; None if none is."""
        found = self.tables.numbers("chunks", "is_reference")
        return found if found.any() else None

    @cached_property
    def metadata(self) -> dict[str, dict[int, list[str]]]:
        """For each key of the documents' metadata, its values by row of a document that has it."""
        found: dict[str, dict[int, list[str]]] = {}
        for row, entries in enumerate(self.tables.column("documents", "metadata").to_pylist()):
            for entry in entries or ():
                found.setdefault(entry["key"], {}).setdefault(row, []).append(entry["value"])
        return found

    @cached_property
    def entity_names(self) -> Texts:
        """Display name of each entity."""
        return self.tables.texts("entities", "name")

    @cached_property
    def relation_support(self) -> NDArray[np.float64]:
        """Support of each relation: confidence times the logarithm of its evidence count."""
        weight = self.tables.numbers("relations", "weight")
        confidence = self.tables.numbers("relations", "confidence")
        support: NDArray[np.float64] = np.log2(1.0 + weight) * confidence
        return support

    @cached_property
    def relation_weights(self) -> NDArray[np.float64]:
        """Weight of each relation, as used for communities."""
        weight = self.tables.numbers("relations", "weight")
        confidence = self.tables.numbers("relations", "confidence")
        return relation_weights(
            weight, confidence, np.column_stack([self.heads, self.tails]),
            entities=len(self.entities),
        )  # fmt: skip

    @cached_property
    def relation_words(self) -> Texts:
        """Canonical form of each relation: the words between head and tail."""
        return self.tables.texts("relations", "relation")

    def said(self, relation: int) -> str:
        """Return a relation's readable phrase, with `not` if the sources negate it."""
        head = self.entity_names[self.heads[relation]]
        return agreeing(head, self._phrases[relation], self.relation_words[relation])

    @cached_property
    def _phrases(self) -> Texts:
        return self.tables.texts("relations", "phrase")

    @cached_property
    def tells(self) -> NDArray[np.bool_]:
        """Whether each relation is a fact, not an association or condition."""
        kinds = self.tables.column("relations", "kind").dictionary_encode()
        known = kinds.dictionary.to_pylist()
        fact = known.index(FACT) if FACT in known else -1
        found: NDArray[np.bool_] = numbers(kinds.indices) == fact
        return found

    @cached_property
    def denied(self) -> NDArray[np.bool_]:
        """Whether the sources negate each relation."""
        return self.tables.numbers("relations", "negated")

    @cached_property
    def entity_types(self) -> list[str | None]:
        """Type of each entity, or None."""
        return list(self.tables.column("entities", "type").to_pylist())

    @cached_property
    def entity_relations(self) -> Adjacency:
        """Facts of each entity, as head or tail."""
        return self._touching(np.flatnonzero(self.tells))

    @cached_property
    def all_entity_relations(self) -> Adjacency:
        """Relations of any kind of each entity."""
        return self._touching(np.arange(len(self.relations)))

    def _touching(self, relations: Rows) -> Adjacency:
        entities = np.concatenate([self.heads[relations], self.tails[relations]])
        both = np.concatenate([relations, relations])
        return Adjacency.from_pairs(entities, both, len(self.entities), len(self.relations))

    @cached_property
    def degrees(self) -> Rows:
        """Number of facts of each entity."""
        return np.diff(self.entity_relations.offsets)

    def steps(self, entity: int) -> list[tuple[int, int]]:
        """Return each fact of an entity, with the entity at its other end."""
        relations = self.entity_relations.of(entity)
        heads, tails = self.heads[relations], self.tails[relations]
        others = np.where(heads == entity, tails, heads)
        return list(zip(relations.tolist(), others.tolist(), strict=True))

    @cached_property
    def relation_chunks(self) -> Adjacency:
        """Chunks with evidence of each relation."""
        return Adjacency.from_pairs(*self._evidence, len(self.relations), len(self.chunks))

    @cached_property
    def chunk_relations(self) -> Adjacency:
        """Relations with evidence in each chunk."""
        relations, chunks = self._evidence
        return Adjacency.from_pairs(chunks, relations, len(self.chunks), len(self.relations))

    @property
    def _evidence(self) -> tuple[Rows, Rows]:
        offsets, _, chunks, *_ = self.evidence
        return np.repeat(np.arange(len(self.relations)), np.diff(offsets)), chunks

    @cached_property
    def lexicon(self) -> Lexicon:
        """BM25 over the chunks, each with its document's title and headings."""
        return self._lexicon("text")

    @cached_property
    def heading_lexicon(self) -> Lexicon:
        """BM25 over the title and headings of each chunk."""
        return self._lexicon("heading")

    def _lexicon(self, field: str) -> Lexicon:
        terms = self._snapshot.table(f"{field}_terms")
        return Lexicon(terms, self._snapshot.table(f"{field}_postings"), len(self.chunks))

    @cached_property
    def chunk_documents(self) -> Rows:
        """Row of each chunk's document."""
        return self.tables.rows("chunks", "document_id")

    @cached_property
    def continues(self) -> NDArray[np.bool_]:
        """Whether each chunk but the last is followed by one of its document."""
        found: NDArray[np.bool_] = self.chunk_documents[1:] == self.chunk_documents[:-1]
        return found

    @cached_property
    def documents_per_chunk(self) -> float:
        """1 if each document is one chunk, less for longer documents."""
        return len(np.unique(self.chunk_documents)) / max(len(self.chunks), 1)

    @property
    def documents_are_passages(self) -> bool:
        """Whether most documents are a single chunk."""
        return self.documents_per_chunk >= _PASSAGES

    @cached_property
    def name_graph(self) -> NameGraph:
        """Chunks and their names: titles, and entities named or written as names."""
        tables = {name: self._snapshot.table(name) for name in ("name_nodes", "name_edges")}
        return NameGraph(tables, self.spellings.places, self.entity_names, len(self.chunks))

    @cached_property
    def spellings(self) -> Spellings:
        """Entities by folded display name, alias and code."""
        return Spellings(*map(self._snapshot.table, ("spellings", "spelled")))

    @cached_property
    def linker(self) -> Linker:
        """The entity linker of texts."""
        return Linker(self.spellings, self.tables.numbers("entities", "is_term"))

    def named_entities(self, name: str, most: int | None = None) -> list[int]:
        """Return the entities with this display name, alias or code, ordered by id; the `most` mentioned, if given."""
        return sorted(self.linker.entities(name)[:most], key=self.entities.id_ranks.__getitem__)

    @cached_property
    def names(self) -> dict[str, Rows]:
        """Entity rows, ordered by id, by `name_key` of each display name and alias."""
        found: dict[str, set[int]] = {}
        rows = self.tables.rows("aliases", "entity_id").tolist()
        aliases = zip(rows, self.tables.column("aliases", "alias").to_pylist(), strict=True)
        for row, name in chain(enumerate(self.entity_names), aliases):
            found.setdefault(name_key(name), set()).add(row)
        ranks = self.entities.id_ranks
        return {key: np.array(sorted(group, key=ranks.__getitem__), dtype=np.int64) for key, group in found.items()}

    @cached_property
    def communities(self) -> Communities:
        """The communities, with a vector each."""
        return Communities(self._snapshot, self.tables, self.entities.vectors)
