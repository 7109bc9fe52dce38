"""Join rows with texts and sources: relation → evidence → sentence → page, box, document.

All joins are made once, as integer arrays, on the first search; a query reads only the rows that it returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.errors import SnapshotError
from graphrag_tasks.language.names import told
from graphrag_tasks.language.times import when
from graphrag_tasks.retrieval.context.hits import (
    ChunkHit,
    EntityHit,
    PageBox,
    RelationHit,
    SourceSentence,
    items_around,
)
from graphrag_tasks.retrieval.graph.parts import central_relations
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import RankedChunk, RankedRow, Seed
from graphrag_tasks.retrieval.reranker import Passage
from graphrag_tasks.retrieval.view.arrays import Adjacency, Records, id_ranks
from graphrag_tasks.storage.artifacts import Rows, SortedTexts, column, numbers, rows_of
from graphrag_tasks.storage.snapshots.store import Snapshot

EVIDENCE_SENTENCES = 3  # Most sentences shown for one relation.
_MOST_RELATIONS = 1_000  # Relations of a community that are looked at: those of a large corpus may have very many.

_CENTRAL_SENTENCES, _CENTRAL_RELATIONS = 8, 6
"""Sentences of a community that state most of it, and relations with a sentence each: with as many it has 90 % of
the sentences that extractive summaries quote, and states all of their relations."""

_COLUMNS = {
    "blocks": ["kind", "text", "char_start", "char_end"],
    "documents": ["document_id", "uri", "title"],
    "chunks": ["chunk_id", "heading_path", "text", "page_start", "page_end", "char_start",
               "char_end"],
    "sentences": ["sentence_id", "chunk_id", "text", "char_start", "char_end", "page"],
    "entities": ["entity_id", "name", "type"],
    "relations": ["relation_id", "relation", "kind", "negated", "weight", "confidence"],
}  # fmt: skip
_SIDES = ("left", "top", "right", "bottom")


class Provenance:
    """Texts and sources of a snapshot's rows; immutable, so threads may share it."""

    def __init__(self, snapshot: Snapshot, graph: Graph) -> None:
        self._graph, self._tables = graph, graph.tables
        self._snapshot = snapshot
        self._known: dict[str, Records] = {}

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """Return chunks as a reranker reads them."""
        return [Passage(" > ".join(chunk["heading_path"]), chunk["text"]) for chunk in self._records("chunks").at(rows)]

    def sentences_in(self, chunk: int) -> tuple[SourceSentence, ...]:
        """Return the sentences of a chunk, in reading order."""
        return tuple(self._sentences_of(self._chunk_sentences.of(chunk)))

    def document_titles(self, chunks: Sequence[int]) -> dict[str, str]:
        """Return the titles of the chunks' documents, by document id, in chunk order."""
        rows = list(dict.fromkeys(self._documents_of("chunks", chunks).tolist()))
        documents = self._records("documents").at(rows)
        return {document["document_id"]: document["title"] for document in documents}

    def by_id(self, sentence_ids: Sequence[str]) -> dict[str, SourceSentence]:
        """Return sentences of the snapshot by their ids."""
        rows = pc.index_in(pa.array(sentence_ids, pa.string()), value_set=self._tables.ids("sentence_id"))
        return dict(zip(sentence_ids, self._sentences_of(rows.to_numpy()), strict=True))

    def first_in_documents(self, sentence_ids: pa.Array[Any]) -> tuple[SourceSentence, ...]:
        """Return the first of these sentences in each document, ordered by number of sentences."""
        rows = np.flatnonzero(pc.is_in(self._tables.ids("sentence_id"), value_set=sentence_ids))
        rows = rows[np.argsort(self._sentence_places["char_start"][rows], kind="stable")]
        documents, first, counts = np.unique(
            self._documents_of("sentences", rows), return_index=True, return_counts=True
        )
        return tuple(self._sentences_of(rows[first[np.lexsort((documents, -counts))]]))

    def first_sentences(self, documents: Sequence[int]) -> tuple[SourceSentence, ...]:
        """Return the first sentence of each document with sentences."""
        first = [self._by_document["sentences"].of(row)[:1] for row in documents]
        return tuple(self._sentences_of(np.concatenate(first))) if first else ()

    def items_around(self, sentence: SourceSentence) -> list[tuple[SourceSentence, ...]]:
        """Return the list items or table rows around a sentence, each as sentences."""
        document = self._document_rows[sentence.document_id]
        blocks = self._records("blocks").at(self._by_document["blocks"].of(document))
        spans = items_around(blocks, sentence.char_start)
        items = [self.sentences_between(sentence.document_id, span.start, span.end) for span in spans]
        return [item for item in items if item]

    def sentences_between(self, document_id: str, char_start: int, char_end: int) -> tuple[SourceSentence, ...]:
        """Return the sentences that overlap a span of a document, in reading order."""
        rows = self._by_document["sentences"].of(self._document_rows[document_id])
        starts = self._sentence_places["char_start"][rows]
        first, last = np.searchsorted(starts, [char_start, char_end])
        inside = rows[:first][self._sentence_places["char_end"][rows[:first]] > char_start]
        first -= len(inside)
        # Chunks that overlap have the same sentence, each by an id of its own.
        distinct = np.unique(starts[first:last], return_index=True)[1]
        return tuple(self._sentences_of(rows[first:last][distinct]))

    @cached_property
    def _document_rows(self) -> dict[str, int]:
        return {document_id: row for row, document_id in enumerate(self._tables.ids("document_id").to_pylist())}

    def chunk_hits(self, ranked: Sequence[RankedChunk], scores: Sequence[float]) -> tuple[ChunkHit, ...]:
        """Return chunks with their documents and scores, in the order given."""
        chunks = self._spans("chunks", np.array([item.row for item in ranked], dtype=np.int64))
        return tuple(
            ChunkHit(
                rank=rank, score=score, ranking_score=item.score, similarity=item.similarity,
                ranks=dict(item.ranks), path=item.path,
                **chunk | {"heading_path": tuple(chunk["heading_path"])},
            )
            for rank, (item, score, chunk) in enumerate(
                zip(ranked, scores, chunks, strict=True), 1
            )
        )  # fmt: skip

    def relation_hits(self, ranked: Sequence[RankedRow]) -> tuple[RelationHit, ...]:
        """Return relations with their best evidence, in the order given."""
        rows = [item.row for item in ranked]
        heads = self.entity_names(self._graph.heads[rows].tolist())
        tails = self.entity_names(self._graph.tails[rows].tolist())
        phrases = map(self._graph.said, rows)
        fields, evidence = self._records("relations").at(rows), self._evidence_of(rows)
        return tuple(
            RelationHit(
                rank=rank,
                score=item.score,
                head=head,
                tail=tail,
                evidence=found,
                phrase=phrase,
                text=told(head, phrase, tail),
                **field,
            )
            for rank, (item, field, head, phrase, tail, found) in enumerate(
                zip(ranked, fields, heads, phrases, tails, evidence, strict=True), 1
            )
        )

    def entity_hits(self, seeds: Sequence[Seed]) -> tuple[EntityHit, ...]:
        """Return entities, each with a sentence that mentions it, in the order given."""
        if not seeds:
            return ()
        rows = [seed.row for seed in seeds]
        examples = self._graph.first_sentences[rows]
        known = examples[examples >= 0]
        sentences = dict(zip(known.tolist(), self._sentences_of(known), strict=True))
        entities = zip(seeds, self._records("entities").at(rows), examples.tolist(), strict=True)
        return tuple(
            EntityHit(
                rank=rank, score=seed.score, found_by=seed.found_by,
                example=sentences.get(example), **entity,
            )
            for rank, (seed, entity, example) in enumerate(entities, 1)
        )  # fmt: skip

    def entity_names(self, rows: Sequence[int]) -> tuple[str, ...]:
        """Return the names of entities."""
        names = self._graph.entity_names
        return tuple(names[row] for row in rows)

    def steps(
        self, relations: Sequence[int], entities: Sequence[int]
    ) -> tuple[tuple[RelationHit, ...], tuple[bool, ...]]:
        """Return the relations of a path, and whether each starts at the entity before it."""
        hits = self.relation_hits([RankedRow(row, 1.0) for row in relations])
        ends = zip(relations, entities, strict=False)
        return hits, tuple(int(self._graph.heads[row]) == here for row, here in ends)

    def communities(self, rows: Sequence[int]) -> list[dict[str, Any]]:
        """Return the texts of communities, each with `evidence`: its supporting sentences."""
        if not rows:
            return []
        chosen = [self._central_sentences(row) for row in rows]
        sentences = iter(self._sentences_of(np.array([one for some in chosen for one in some])))
        texts = self._graph.communities.rows(list(rows))
        return [
            text | {"evidence": tuple(islice(sentences, len(some)))} for text, some in zip(texts, chosen, strict=True)
        ]

    def sources(self, item_id: str) -> tuple[SourceSentence, ...] | None:
        """Return the sentences of a relation, entity or sentence id; None for other ids."""
        if (row := self._graph.relations.row_of(item_id)) is not None:
            return self._evidence_of([row])[0]
        if (row := self._graph.entities.row_of(item_id)) is not None:
            example = self._graph.first_sentences[[row]]
            return tuple(self._sentences_of(example[example >= 0]))
        row = pc.index(self._tables.ids("sentence_id"), item_id).as_py()
        return None if row < 0 else tuple(self._sentences_of(np.array([row])))

    def _evidence_of(self, relations: Sequence[int]) -> list[tuple[SourceSentence, ...]]:
        chosen = [self._best_sentences(relation) for relation in relations]
        rows = np.array([row for best in chosen for row in best], dtype=np.int64)
        evidence = [one for best in chosen for one in best.values()]
        sentences = iter(self._sentences_of(rows, evidence))
        return [tuple(islice(sentences, len(best))) for best in chosen]

    def _central_sentences(self, community: int) -> list[int]:
        """Return rows of the most representative sentences of a community.

        They state most of its relations, or the most central ones. In a community without relations, they mention its
        central entities.
        """
        found = central_relations(self._graph, community)
        relations, telling = (one[:_MOST_RELATIONS] for one in found)
        bounds, sentences, *_ = self._graph.evidence
        stated = [sentences[bounds[relation] : bounds[relation + 1]] for relation in relations.tolist()]
        if not stated:
            members, centrality = self._graph.communities.members(community)
            mentioned = self._graph.first_sentences[members[np.lexsort((members, -centrality))]]
            return list(dict.fromkeys(mentioned[mentioned >= 0].tolist()))[:_CENTRAL_RELATIONS]
        rows, places = np.unique(np.concatenate(stated), return_inverse=True)
        told = np.bincount(places, np.repeat(telling, list(map(len, stated))))
        telling_most = rows[np.lexsort((rows, -told))][:_CENTRAL_SENTENCES]
        of_relations = [one[0] for one in stated[:_CENTRAL_RELATIONS]]
        return list(map(int, dict.fromkeys([*telling_most, *of_relations])))

    def _best_sentences(self, relation: int) -> dict[int, int]:
        """Return rows of distinct sentences with the evidence of their best triple."""
        bounds, sentences, *_ = self._graph.evidence
        first, last = bounds[relation : relation + 2].tolist()
        best: dict[int, int] = {}
        for one, row in enumerate(sentences[first:last].tolist(), first):
            best.setdefault(row, one)
            if len(best) == EVIDENCE_SENTENCES:
                break
        return best

    def _sentences_of(self, rows: Rows, evidence: Sequence[int] | None = None) -> list[SourceSentence]:
        spans = self._spans("sentences", rows)
        if evidence is None:
            return [SourceSentence(**sentence) for sentence in spans]
        *_, confidences, times = self._graph.evidence
        told = zip(spans, confidences[evidence].tolist(), times.at(evidence), strict=True)
        return [
            SourceSentence(**sentence, confidence=confidence, holds=when(time)) for sentence, confidence, time in told
        ]

    def _spans(self, table: str, rows: Rows) -> list[dict[str, Any]]:
        """Return chunks or sentences with the fields of their documents, and their boxes."""
        documents = self._documents_of(table, rows).tolist()
        distinct = list(dict.fromkeys(documents))
        fields = dict(zip(distinct, self._records("documents").at(distinct), strict=True))
        return [
            span | fields[document]
            | {"boxes": self._boxes.of(document, span["char_start"], span["char_end"])}
            for span, document in zip(self._records(table).at(rows), documents, strict=True)
        ]  # fmt: skip

    @cached_property
    def _boxes(self) -> _Boxes:
        return _Boxes(self._snapshot, self._tables.ids("document_id"))

    def _documents_of(self, table: str, rows: Rows | Sequence[int]) -> Rows:
        """Return the documents of chunks or sentences, by row."""
        if table == "chunks":
            return self._graph.chunk_documents[rows]
        named = [one["document_id"] for one in self._sentence_documents.at(rows)]
        found = list(map(self._sorted_documents.row_of, named))
        if None in found:
            where = f"{self._snapshot.folder.uri}, sentences"
            raise SnapshotError("a sentence is of no document", where, "Publish the snapshot again")
        return np.array(found, dtype=np.int64)

    @cached_property
    def _sorted_documents(self) -> SortedTexts:
        ids = self._tables.ids("document_id")
        return SortedTexts(ids, np.argsort(id_ranks(ids)))

    @cached_property
    def _sentence_documents(self) -> Records:
        return Records(self._snapshot.table("sentences", ["document_id"]))

    @cached_property
    def _chunk_sentences(self) -> Adjacency:
        """Each chunk's sentences, in reading order."""
        return self._tables.groups("sentences", "chunk_id", self._tables.numbers("sentences", "ordinal"))

    @cached_property
    def _by_document(self) -> dict[str, Adjacency]:
        """Each document's blocks and sentences, in reading order."""
        return {
            name: self._tables.groups(name, "document_id", self._tables.numbers(name, "char_start"))
            for name in ("blocks", "sentences")
        }

    @cached_property
    def _sentence_places(self) -> dict[str, Rows]:
        """Character offsets of sentences in their documents."""
        names = ("char_start", "char_end")
        return {name: self._tables.numbers("sentences", name) for name in names}

    def _records(self, table: str) -> Records:
        if table not in self._known:
            self._known[table] = Records(self._snapshot.table(table, _COLUMNS[table]))
        return self._known[table]


class _Boxes:
    def __init__(self, snapshot: Snapshot, document_ids: pa.Array[Any]) -> None:
        blocks = snapshot.table("blocks", ["document_id", "char_start", "char_end", "page", "bbox"])
        blocks = blocks.filter(pc.and_(pc.is_valid(blocks["bbox"]), pc.is_valid(blocks["page"])))
        where = f"{snapshot.folder.uri}, blocks"
        documents = rows_of(blocks, "document_id", document_ids, where)
        starts = numbers(column(blocks, "char_start"))
        order = np.lexsort((starts, documents))
        self._documents, self._starts = documents[order], starts[order]
        self._ends = numbers(column(blocks, "char_end"))[order]
        self._pages = numbers(column(blocks, "page"))[order]
        boxes = column(blocks, "bbox")
        self._sides = np.column_stack([numbers(boxes.field(side)) for side in _SIDES])[order]
        self._with_boxes = frozenset(self._documents.tolist())

    def of(self, document: int, start: int, end: int) -> tuple[PageBox, ...]:
        """Return the boxes of the blocks that a document span overlaps, in reading order."""
        if document not in self._with_boxes:
            return ()
        first, last = np.searchsorted(self._documents, [document, document + 1])
        inside = (self._starts[first:last] < end) & (self._ends[first:last] > start)
        return tuple(
            PageBox(page=int(self._pages[row]), **dict(zip(_SIDES, self._sides[row].tolist(), strict=True)))
            for row in (first + np.flatnonzero(inside)).tolist()
        )
