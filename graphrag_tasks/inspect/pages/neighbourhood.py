"""The part of a graph shown on the graph page: bounded and deterministic.

It comes from an opened index, hence only from what its reader may see.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.graph.clusters import Selection
from graphrag_tasks.graph.weights import FACT
from graphrag_tasks.retrieval import RelationHit
from graphrag_tasks.retrieval.browse import Browser
from graphrag_tasks.retrieval.context.hits import SourceSentence
from graphrag_tasks.retrieval.graph.parts import nearest, part, strongest
from graphrag_tasks.retrieval.graph.pinned import name_key
from graphrag_tasks.storage.artifacts import Rows, column

NO_TYPE = "-"  # Type of an entity without a type.
NEIGHBOURS = (60, 120, 240)  # Choices for the number of neighbours: 60 are readable at once on a laptop's screen.
MOST_NAMES = 20  # Most entities whose neighbours are shown.
MOST_ENTITIES = 400  # Most entities of a picture: a browser lays them out in less than a second.
MOST_RELATIONS = 1_500  # Most relations of a picture.
_MOST_DOCUMENTS = 50  # Documents offered as filter, those with most relations first.
_LOOKED_AT = 3  # Strongest entities among which those with a type come first, for each that is shown. Chosen.
_TITLES, _ALIASES = 5, 6  # Documents and other names shown for an entity.

_HEAD, _TAIL, _PLAIN = "head", "tail", ""

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class View:
    """A view of the graph.

    Attributes:
        names: Entities whose neighbours are shown, in the order of request.
        kinds: Kinds of relations.
        hidden: Entity types to leave out, `NO_TYPE` for entities without a type.
        least: Least confidence of a relation.
        document: Id of the only document that may state a relation; empty for all.
        most: Most neighbours of each entity; without names, most entities.
        community: Id of the only community shown, if there are no names; empty for all.
    """

    names: tuple[str, ...]
    kinds: frozenset[str] = frozenset({FACT})
    hidden: frozenset[str] = frozenset()
    least: float = 0.0
    document: str = ""
    most: int = NEIGHBOURS[0]
    community: str = ""


@dataclass(frozen=True)
class Step:
    """A name of a view: how many neighbours its entities have, and how many are shown.

    Without a name: how many entities there are, and how many are shown.
    """

    name: str
    shown: int
    of: int


@dataclass(frozen=True)
class Shown:
    """Graph rows that a view shows.

    Attributes:
        entities: In the order in which the view's names add them.
        brought_by: For each entity, the index of the name that added it.
        opened: For each entity, whether its neighbours are shown.
        relations: Relations between them: first those of the named entities, then by weight.
        omitted: Number of relations left out.
        documents: Rows of documents offered as filter.
    """

    steps: tuple[Step, ...]
    entities: Rows
    brought_by: tuple[int, ...]
    opened: tuple[bool, ...]
    relations: Rows
    omitted: int
    documents: tuple[int, ...]

    @classmethod
    def nothing(cls) -> Shown:
        """Return the result of an empty view."""
        none = np.zeros(0, dtype=np.int64)
        return cls((), none, (), (), none, 0, ())


class Neighbourhoods:
    """Neighbourhoods in the graph of `index`; immutable, so threads may share it."""

    def __init__(self, index: Browser) -> None:
        self.index = index
        self._graph = index.graph
        self._relations = index.snapshot.table("relations", ["kind", "confidence", "weight"]).combine_chunks()
        self._entities = index.snapshot.table("entities", ["entity_id", "name", "type", "mentions", "chunks"])
        self._documents = index.snapshot.table("documents", ["document_id", "title"])
        self._weights = self._graph.relation_weights
        self._confidence: NDArray[np.float32] = column(self._relations, "confidence").to_numpy()

    def shown(self, view: View) -> Shown:
        """Return the rows that a view shows: without names, strong entities joined by relations, typed first."""
        graph = self._graph
        named = [self._named(name) for name in view.names]
        opened = np.concatenate([*named, np.zeros(0, dtype=np.int64)])
        allowed = self._allowed(view, opened)
        if view.community:
            allowed &= self._of_community(view.community)
        about = allowed & self._touching(opened) if view.names else allowed
        documents = self._stating(np.flatnonzero(about))
        if view.document:
            allowed &= self._of_document(view.document)
        placed: dict[int, int] = {}
        steps = []
        for place, (name, rows) in enumerate(zip(view.names, named, strict=True)):
            near = nearest(graph, rows, allowed)
            room = MOST_ENTITIES - len(placed)
            wanted = [row for row in rows.tolist() if row not in placed]
            wanted += [row for row in near[: view.most].tolist() if row not in placed]
            placed |= dict.fromkeys(wanted[:room], place)
            shown = sum(row in placed for row in near.tolist())
            steps.append(Step(name, shown, len(near)))
        if not view.names:
            ranked = strongest(graph, allowed)
            near = ranked[: _LOOKED_AT * view.most]
            is_untyped = self._entities["type"].is_null().to_numpy(zero_copy_only=False)[near]
            near = near[np.argsort(is_untyped, kind="stable")][: view.most]
            joined = allowed & np.isin(graph.heads, near) & np.isin(graph.tails, near)
            near = near[np.isin(near, np.concatenate([graph.heads[joined], graph.tails[joined]]))]
            placed = dict.fromkeys(near.tolist(), 0)
            steps.append(Step("", len(placed), len(ranked)))
        entities = np.array(list(placed), dtype=np.int64)
        is_shown = np.zeros(len(graph.entities), dtype=np.bool_)
        is_shown[entities] = True
        relations = np.flatnonzero(allowed & is_shown[graph.heads] & is_shown[graph.tails])
        relations = relations[self._order(relations, first=self._touching(opened)[relations])]
        is_open = set(opened.tolist())
        return Shown(
            steps=tuple(steps),
            entities=entities,
            brought_by=tuple(placed.values()),
            opened=tuple(not view.names or row in is_open for row in placed),
            relations=relations[:MOST_RELATIONS],
            omitted=max(len(relations) - MOST_RELATIONS, 0),
            documents=documents,
        )

    def columns(self, shown: Shown) -> dict[str, Any]:
        """Return the shown tables as columns; relations refer to entities by position."""
        entities = self._entities.take(pa.array(shown.entities))
        places = {row: place for place, row in enumerate(shown.entities.tolist())}
        rows = shown.relations.tolist()
        relations = self._relations.take(pa.array(shown.relations))
        graph = self._graph
        return {
            "steps": {
                "name": [step.name for step in shown.steps],
                "shown": [step.shown for step in shown.steps],
                "of": [step.of for step in shown.steps],
            },
            "entities": {
                "id": entities["entity_id"].to_pylist(),
                "name": entities["name"].to_pylist(),
                "type": [entity or NO_TYPE for entity in entities["type"].to_pylist()],
                "mentions": entities["mentions"].to_pylist(),
                "relations": graph.degrees[shown.entities].tolist(),
                "step": list(shown.brought_by),
                "opened": list(map(int, shown.opened)),
            },
            "relations": {
                "id": graph.relations.ids.take(pa.array(shown.relations)).to_pylist(),
                "head": [places[row] for row in graph.heads[rows].tolist()],
                "tail": [places[row] for row in graph.tails[rows].tolist()],
                "phrase": list(map(graph.said, rows)),
                "kind": relations["kind"].to_pylist(),
                "stated": list(map(int, relations["weight"].to_pylist())),
                "confidence": np.round(self._confidence[rows].astype(float), 3).tolist(),
            },
            "omitted": shown.omitted,
            "documents": self.titles(shown.documents),
        }

    def titles(self, rows: Sequence[int]) -> dict[str, list[str]]:
        """Return ids and titles of documents."""
        found = self._documents.take(pa.array(rows, pa.int64()))
        return {"id": found["document_id"].to_pylist(), "title": found["title"].to_pylist()}

    def selection(self, title: str, shown: Shown) -> Selection:
        """Return the shown part as an export selection."""
        return part(self.index.snapshot, self._graph, title, shown.entities, shown.relations)

    def hits(self, shown: Shown, most: int) -> tuple[RelationHit, ...]:
        """Return the first shown relations, with their sentences."""
        return self.index.relations_at(shown.relations[:most].tolist())

    def entity(self, entity_id: str) -> dict[str, Any]:
        """Return the details of an entity."""
        graph = self._graph
        row = graph.entities.row_of(entity_id)
        if row is None:
            raise QueryError(f"there is no entity with the id '{entity_id}'")
        chunks = graph.entity_chunks.of(row)
        documents = _most_frequent(graph.chunk_documents[chunks], _TITLES)
        about = self._entities.slice(row, 1).to_pylist()[0]
        aliases = self.index.snapshot.find_rows("aliases", "entity_id", entity_id)
        aliases = aliases.sort_by([("mentions", "descending"), ("alias", "ascending")])
        names = [alias for alias in aliases["alias"].to_pylist() if alias != about["name"]]
        return {
            "id": entity_id,
            "name": about["name"],
            "type": about["type"] or NO_TYPE,
            "mentions": about["mentions"],
            "aliases": names[:_ALIASES],
            "documents": self.titles(documents) | {"chunk": self._first_of(chunks, documents)},
            "of_documents": len(np.unique(graph.chunk_documents[chunks])),
        }

    def relations(self, relation_ids: Sequence[str]) -> dict[str, Any]:
        """Return relations in words, with their sentences and marked names."""
        rows = [self._graph.relations.row_of(one) for one in relation_ids]
        for one, row in zip(relation_ids, rows, strict=True):
            if row is None:
                raise QueryError(f"there is no relation with the id '{one}'")
        hits = self.index.relations_at([row for row in rows if row is not None])
        spans = self._spans([relation.relation_id for relation in hits])
        sentences = [(place, sentence) for place, hit in enumerate(hits) for sentence in hit.evidence]
        marked = [
            _marked(sentence, spans.get((hits[place].relation_id, sentence.sentence_id), []))
            for place, sentence in sentences
        ]
        return {
            "relations": {
                "id": [relation.relation_id for relation in hits],
                "head": [relation.head for relation in hits],
                "phrase": [relation.phrase for relation in hits],
                "tail": [relation.tail for relation in hits],
                "kind": [relation.kind for relation in hits],
                "stated": [int(relation.weight) for relation in hits],
                "confidence": [round(relation.confidence, 3) for relation in hits],
            },
            "sentences": {
                "relation": [place for place, _ in sentences],
                "texts": [[text for text, _ in one] for one in marked],
                "marks": [[mark for _, mark in one] for one in marked],
                "title": [sentence.title for _, sentence in sentences],
                "page": [sentence.page for _, sentence in sentences],
                "document": [sentence.document_id for _, sentence in sentences],
                "chunk": [sentence.chunk_id for _, sentence in sentences],
                "id": [sentence.sentence_id for _, sentence in sentences],
            },
        }

    def _first_of(self, chunks: Rows, documents: Sequence[int]) -> list[str]:
        """Return the id of the first of these chunks in each document."""
        homes = self._graph.chunk_documents[chunks]
        first = [int(chunks[homes == document].min()) for document in documents]
        ids: list[str] = self._graph.chunks.ids.take(pa.array(first, pa.int64())).to_pylist()
        return ids

    def _named(self, name: str) -> Rows:
        """Return the entities with this display name; if none, those with this alias."""
        rows = self.index.entity_rows(name)
        key = name_key(name)
        displayed = [row for row in rows if name_key(self._graph.entity_names[row]) == key]
        return np.array(displayed, dtype=np.int64) if displayed else rows

    def _allowed(self, view: View, opened: Rows) -> Mask:
        """Return which relations may be shown, before the document filter."""
        kinds = pc.is_in(self._relations["kind"], value_set=pa.array(sorted(view.kinds)))
        allowed: Mask = np.array(kinds, dtype=np.bool_) & (self._confidence >= view.least)
        if view.hidden:
            hidden = self._of_types(view.hidden)
            hidden[opened] = False
            allowed &= ~(hidden[self._graph.heads] | hidden[self._graph.tails])
        return allowed

    def _of_types(self, types: Collection[str]) -> Mask:
        known = pc.fill_null(self._entities["type"], NO_TYPE)
        return np.array(pc.is_in(known, value_set=pa.array(sorted(types))), dtype=np.bool_)

    def _touching(self, entities: Rows) -> Mask:
        return self._graph.all_entity_relations.union(entities)

    def _of_document(self, document_id: str) -> Mask:
        document = pc.index(column(self._documents, "document_id"), document_id).as_py()
        if document < 0:
            raise QueryError(f"there is no document with the id '{document_id}'")
        chunks = np.flatnonzero(self._graph.chunk_documents == document)
        return self._graph.chunk_relations.union(chunks)

    def _of_community(self, community_id: str) -> Mask:
        members = self.index.snapshot.find_rows("members", "community_id", community_id)
        if not members.num_rows:
            raise QueryError(f"there is no community with the id '{community_id}'")
        ids = self._graph.entities.ids
        inside = np.array(pc.is_in(ids, value_set=column(members, "entity_id")), dtype=np.bool_)
        found: Mask = inside[self._graph.heads] & inside[self._graph.tails]
        return found

    def _order(self, relations: Rows, first: Mask) -> Rows:
        ranks = self._graph.relations.id_ranks[relations]
        return np.lexsort((ranks, -self._weights[relations], ~first))

    def _stating(self, relations: Rows) -> tuple[int, ...]:
        """Return the documents that state most of these relations."""
        chunks, places = self._graph.relation_chunks.pairs(relations)
        documents = self._graph.chunk_documents[chunks]
        stated = np.unique(np.column_stack([places, documents]), axis=0)
        return _most_frequent(stated[:, 1], _MOST_DOCUMENTS)

    def _spans(self, relation_ids: Sequence[str]) -> dict[tuple[str, str], list[_Span]]:
        """Return the spans of relation heads and tails, by relation and sentence."""
        wanted = pa.array(relation_ids, pa.string())
        stated = self._evidence.filter(pc.is_in(self._evidence["relation_id"], value_set=wanted))
        triples = self._triples.filter(pc.is_in(self._triples["triple_id"], value_set=column(stated, "triple_id")))
        ends = {row["triple_id"]: row for row in triples.to_pylist()}
        spans: dict[tuple[str, str], list[_Span]] = {}
        for row in stated.to_pylist():
            found = spans.setdefault((row["relation_id"], row["sentence_id"]), [])
            if one := ends.get(row["triple_id"]):
                found.append((one["head_start"], one["head_end"], _HEAD))
                found.append((one["tail_start"], one["tail_end"], _TAIL))
        return spans

    @cached_property
    def _evidence(self) -> pa.Table:
        columns = ["relation_id", "triple_id", "sentence_id"]
        return self.index.snapshot.table("evidence", columns)

    @cached_property
    def _triples(self) -> pa.Table:
        columns = ["triple_id", "head_start", "head_end", "tail_start", "tail_end"]
        return self.index.snapshot.table("triples", columns)


_Span = tuple[int, int, str]


def _marked(sentence: SourceSentence, spans: Sequence[_Span]) -> list[tuple[str, str]]:
    """Split a sentence into pieces marked as head, tail or neither."""
    marks = [_PLAIN] * len(sentence.text)
    for start, end, what in spans:
        if all(mark == _PLAIN for mark in marks[start:end]):
            marks[start:end] = [what] * len(marks[start:end])
    changes = [place for place in range(1, len(marks)) if marks[place] != marks[place - 1]]
    bounds = pairwise([0, *changes, len(marks)])
    return [(sentence.text[start:end], marks[start]) for start, end in bounds if start < end]


def _most_frequent(rows: Rows, most: int) -> tuple[int, ...]:
    found, counts = np.unique(rows, return_counts=True)
    return tuple(found[np.lexsort((found, -counts))][:most].tolist())
