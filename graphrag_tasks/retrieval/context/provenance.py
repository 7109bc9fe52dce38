"""From rows to texts with their sources: relation → evidence → sentence → page, box, document.

All joins are made once, as integer arrays, on the first search; a query then only reads the rows
it returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.retrieval.context.boxes import Boxes
from graphrag_tasks.retrieval.context.hits import (
    ChunkHit,
    EntityHit,
    RelationHit,
    SourceSentence,
)
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import (
    RankedChunk,
    RankedRelation,
    Seed,
)
from graphrag_tasks.retrieval.view.arrays import Rows, column, id_ranks, rows_of
from graphrag_tasks.retrieval.view.records import Records
from graphrag_tasks.snapshots.store import Snapshot

_CHUNK_COLUMNS = (
    "chunk_id", "heading_path", "text", "page_start", "page_end", "char_start", "char_end",
)  # fmt: skip

EVIDENCE_SENTENCES = 3
"""Most sentences shown for one relation."""


class Provenance:
    """Texts and sources of a snapshot's rows; never changed once built, so threads may share it.

    Raises:
        SnapshotError: Tables do not fit together.
    """

    def __init__(self, snapshot: Snapshot, graph: Graph) -> None:
        self._graph = graph
        self._where = snapshot.folder.uri
        self._snapshot = snapshot

    def chunk_hits(self, ranked: Sequence[RankedChunk]) -> tuple[ChunkHit, ...]:
        """Return chunks with their documents, in the order given."""
        rows = [item.row for item in ranked]
        of = self._chunk_documents[rows]
        chunks = self._with_boxes(self._chunks.at(rows), of)
        return tuple(
            ChunkHit(
                rank=rank, score=item.score, similarity=item.similarity, ranks=dict(item.ranks),
                path=item.path,
                **chunk | {"heading_path": tuple(chunk["heading_path"])}, **document,
            )
            for rank, (item, chunk, document) in enumerate(
                zip(ranked, chunks, self._document_fields(of), strict=True), 1
            )
        )  # fmt: skip

    def relation_hits(self, ranked: Sequence[RankedRelation]) -> tuple[RelationHit, ...]:
        """Return relations with the sentences that support them best, in the order given."""
        rows = [item.row for item in ranked]
        heads = self._entity_names(self._graph.heads[rows])
        tails = self._entity_names(self._graph.tails[rows])
        fields = self._relations.at(rows)
        return tuple(
            RelationHit(
                rank=rank, score=item.score, head=head, tail=tail, evidence=evidence, **relation,
            )
            for rank, (item, relation, head, tail, evidence) in enumerate(
                zip(ranked, fields, heads, tails, self._evidence_of(rows), strict=True), 1
            )
        )  # fmt: skip

    def entity_hits(self, seeds: Sequence[Seed]) -> tuple[EntityHit, ...]:
        """Return entities with one sentence each that mentions them, in the order given."""
        if not seeds:
            return ()
        rows = [seed.row for seed in seeds]
        examples = self._example_sentences[rows]
        known = examples[examples >= 0]
        sentences = dict(zip(known.tolist(), self._sentences_of(known), strict=True))
        return tuple(
            EntityHit(
                rank=rank, score=seed.score, found_by=seed.found_by,
                example=sentences.get(int(example)), **entity,
            )
            for rank, (seed, entity, example) in enumerate(
                zip(seeds, self._entities.at(rows), examples, strict=True), 1
            )
        )  # fmt: skip

    def entity_names(self, rows: Sequence[int]) -> tuple[str, ...]:
        """Return the names of entities."""
        return tuple(self._entity_names(np.array(rows, dtype=np.int64)))

    def steps(
        self, relations: Sequence[int], entities: Sequence[int]
    ) -> tuple[tuple[RelationHit, ...], tuple[bool, ...]]:
        """Return the relations of a path, and whether each leads away from the entity before it."""
        hits = self.relation_hits([RankedRelation(row, 1.0) for row in relations])
        ends = zip(relations, entities, strict=False)
        return hits, tuple(int(self._graph.heads[row]) == here for row, here in ends)

    def communities(self, rows: Sequence[int]) -> list[dict[str, Any]]:
        """Return the texts of communities."""
        return self._graph.communities.rows(list(rows)) if rows else []

    def relation_sources(self, row: int) -> tuple[SourceSentence, ...]:
        """Return the sentences that support a relation best."""
        return self._evidence_of([row])[0]

    def entity_sources(self, row: int) -> tuple[SourceSentence, ...]:
        """Return a sentence that mentions an entity; none where no mention is stored."""
        example = self._example_sentences[row]
        return tuple(self._sentences_of(np.array([example]))) if example >= 0 else ()

    def sentence_sources(self, sentence_id: str) -> tuple[SourceSentence, ...]:
        """Return the sentence of this id; none where there is no such sentence."""
        row = pc.index(self._sentence_ids, sentence_id).as_py()
        return tuple(self._sentences_of(np.array([row]))) if row >= 0 else ()

    def _evidence_of(self, relations: Sequence[int]) -> list[tuple[SourceSentence, ...]]:
        chosen = [self._best_sentences(relation) for relation in relations]
        rows = np.array([row for best in chosen for row in best], dtype=np.int64)
        confidences = [confidence for best in chosen for confidence in best.values()]
        sentences = iter(self._sentences_of(rows, confidences))
        return [tuple(islice(sentences, len(best))) for best in chosen]

    def _best_sentences(self, relation: int) -> dict[int, float]:
        """Return rows of distinct sentences with the confidence of their best triple."""
        bounds, sentences, confidences = self._evidence
        part = slice(bounds[relation], bounds[relation + 1])
        best: dict[int, float] = {}
        for sentence, confidence in zip(
            sentences[part].tolist(), confidences[part].tolist(), strict=True
        ):
            best.setdefault(sentence, confidence)
            if len(best) == EVIDENCE_SENTENCES:
                break
        return best

    def _sentences_of(
        self, rows: Rows, confidences: Sequence[float] | None = None
    ) -> list[SourceSentence]:
        of = self._sentence_documents[rows]
        sentences = self._with_boxes(self._sentences.at(rows), of)
        documents = self._document_fields(of)
        given = [None] * len(rows) if confidences is None else confidences
        return [
            SourceSentence(**sentence, **document, confidence=confidence)
            for sentence, document, confidence in zip(sentences, documents, given, strict=True)
        ]

    def _with_boxes(self, spans: list[dict[str, Any]], documents: Rows) -> list[dict[str, Any]]:
        """Return spans of documents with their boxes on pages."""
        boxes = self._boxes
        for span, document in zip(spans, documents.tolist(), strict=True):
            span["boxes"] = boxes.of(document, span["char_start"], span["char_end"])
        return spans

    def _document_fields(self, rows: Rows) -> list[dict[str, Any]]:
        listed = rows.tolist()
        distinct = list(dict.fromkeys(listed))
        fields = dict(zip(distinct, self._documents.at(distinct), strict=True))
        return [fields[row] for row in listed]

    def _entity_names(self, rows: Rows) -> list[str]:
        names = self._graph.entity_names
        return [names[row] for row in rows.tolist()]

    @cached_property
    def _boxes(self) -> Boxes:
        return Boxes(self._snapshot, self._document_ids)

    @cached_property
    def _document_ids(self) -> pa.Array[Any]:
        return column(self._read("documents", ["document_id"]), "document_id")

    @cached_property
    def _sentence_ids(self) -> pa.Array[Any]:
        return column(self._read("sentences", ["sentence_id"]), "sentence_id")

    @cached_property
    def _documents(self) -> Records:
        return self._records("documents", ["document_id", "uri", "title"])

    @cached_property
    def _chunks(self) -> Records:
        return self._records("chunks", list(_CHUNK_COLUMNS))

    @cached_property
    def _entities(self) -> Records:
        return self._records("entities", ["entity_id", "name", "type"])

    @cached_property
    def _relations(self) -> Records:
        return self._records(
            "relations", ["relation_id", "relation", "text", "negated", "weight", "confidence"]
        )

    @cached_property
    def _sentences(self) -> Records:
        return self._records(
            "sentences", ["sentence_id", "chunk_id", "text", "char_start", "char_end", "page"]
        )

    @cached_property
    def _chunk_documents(self) -> Rows:
        return self._rows("chunks", "document_id", self._document_ids)

    @cached_property
    def _sentence_documents(self) -> Rows:
        return self._rows("sentences", "document_id", self._document_ids)

    @cached_property
    def _evidence(self) -> tuple[Rows, Rows, np.ndarray[Any, Any]]:
        """Sentences and confidences, best first, and where those of each relation begin and end."""
        relations = self._rows("evidence", "relation_id", self._graph.relations.ids)
        sentences = self._rows("evidence", "sentence_id", self._sentence_ids)
        confidence = column(self._read("evidence", ["confidence"]), "confidence").to_numpy()
        order = np.lexsort((id_ranks(self._sentence_ids)[sentences], -confidence, relations))
        bounds = np.searchsorted(relations[order], np.arange(len(self._graph.relations) + 1))
        return bounds, sentences[order], confidence[order]

    @cached_property
    def _example_sentences(self) -> Rows:
        """Sentence row of each entity's first mention in the table; -1 where it has none."""
        entities = self._rows("mentions", "entity_id", self._graph.entities.ids)
        sentences = self._rows("mentions", "sentence_id", self._sentence_ids)
        examples = np.full(len(self._graph.entities), -1, dtype=np.int64)
        found, first = np.unique(entities, return_index=True)
        examples[found] = sentences[first]
        return examples

    def _records(self, table: str, columns: list[str]) -> Records:
        return Records(self._read(table, columns))

    def _read(self, table: str, columns: list[str]) -> pa.Table:
        return self._snapshot.table(table, columns).combine_chunks()

    def _rows(self, table: str, key: str, ids: pa.Array[Any]) -> Rows:
        return rows_of(self._read(table, [key]), key, ids, f"{self._where}, {table}")
