"""An opened index: one pinned snapshot that answers questions."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.embed.protocol import Embedder
from graphrag_tasks.retrieval.browse import Browser
from graphrag_tasks.retrieval.context.context import Context
from graphrag_tasks.retrieval.context.explain import Explanation, shared_names, shared_words
from graphrag_tasks.retrieval.context.further import FURTHER, CommunityHit, PathHit
from graphrag_tasks.retrieval.context.hits import RelationHit, SourceSentence
from graphrag_tasks.retrieval.context.provenance import Provenance
from graphrag_tasks.retrieval.graph.filters import Filters, allowed_chunks
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.modes.registry import AUTO, mode_named
from graphrag_tasks.retrieval.question.encoder import QueryEncoder
from graphrag_tasks.retrieval.question.query import (
    Mode,
    Query,
    Ranking,
    check_question,
    within_bounds,
)
from graphrag_tasks.retrieval.question.router import Route, route
from graphrag_tasks.retrieval.question.seeds import NounPhrases
from graphrag_tasks.retrieval.ranker.traverse import nearest_relations
from graphrag_tasks.retrieval.view.visibility import Principals, visible
from graphrag_tasks.snapshots.cache import mirrored
from graphrag_tasks.snapshots.store import Snapshot, Store

log = logging.getLogger(__name__)

_PLACES = 100
"""How far down `explain` looks for a chunk."""

_STATEMENTS = 3
"""How many statements of a chunk `explain` gives."""


@dataclass(frozen=True)
class IndexFacts:
    """How large an index is, and which snapshot it reads."""

    snapshot_id: str
    chunks: int
    entities: int
    relations: int


class Index:
    """Search over one pinned snapshot; safe to share between threads.

    A snapshot that is published later is not seen: graph and vectors stay of one version until
    the index is opened again.

    Args:
        snapshot: The pinned snapshot; with access labels, what `visibility.visible` lets through.
        config: Parameters of the search.
        embedder: Query encoder; by default the model the manifest names.
        noun_phrases: Finds the noun phrases of a question; spaCy by default.

    Attributes:
        snapshot: The pinned snapshot.
        config: Parameters of the search.

    Raises:
        SnapshotError: The snapshot is damaged, or the embedder is not the one it was embedded with.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        *,
        config: RetrievalConfig | None = None,
        embedder: Embedder | None = None,
        noun_phrases: Callable[[str], Sequence[str]] | None = None,
    ) -> None:
        embedding = snapshot.manifest.embedding
        self.snapshot = snapshot
        self.config = config or RetrievalConfig()
        self._encoder = QueryEncoder(embedding, embedder)
        self._noun_phrases = noun_phrases or NounPhrases(self.config.model)
        self._graph = Graph(snapshot)

    def __repr__(self) -> str:
        """Show the snapshot and its size."""
        return f"Index({self.facts})"

    @property
    def facts(self) -> IndexFacts:
        """Counts of the pinned snapshot, and its id."""
        return IndexFacts(
            self.snapshot.snapshot_id,
            chunks=len(self._graph.chunks),
            entities=len(self._graph.entities),
            relations=len(self._graph.relations),
        )

    def search(
        self,
        question: str,
        mode: str = AUTO,
        k: int | None = None,
        filters: Filters | None = None,
    ) -> Context:
        """Return the chunks, relations and entities that help to answer a question.

        Args:
            question: Any text that is not blank; its first `ranking.MOST_READ` characters are read.
            mode: A name from `MODES`, or `auto`: the router chooses by the kind of question.
            k: Chunks wanted, at most `ranking.MOST_CHUNKS`; relations are at most 2k. `config.k`
                by default.
            filters: Values or patterns by field (`filters.FIELDS`); only chunks that fit all of
                them are returned.

        Raises:
            QueryError: The question is blank or no text, the mode or a filter's field is unknown,
                or k is no whole number from 1.
            SnapshotError: The installed model is not the one the snapshot was embedded with.
        """
        query, bounds = self._query(question, k)
        routed = self._route(query.text) if mode == AUTO else None
        rank = mode_named(routed.mode if routed else mode)
        if filters:
            allowed = allowed_chunks(self.snapshot, self._graph, filters)
            query = replace(query, allowed=allowed)
        ranking = self._ranking(rank, query)
        return Context(
            question=question,
            mode=routed.mode if routed else mode,
            k=query.k,
            snapshot_id=self.snapshot.snapshot_id,
            chunks=self._provenance.chunk_hits(ranking.chunks),
            relations=self._provenance.relation_hits(ranking.relations),
            entities=self._provenance.entity_hits(ranking.seeds),
            further={
                name: kind.of(self._provenance, ranking.further[name])
                for name, kind in FURTHER.items()
                if name in ranking.further
            },
            route=routed,
            notes=(*ranking.notes, *bounds),
        )

    def explain(self, question: str, chunk_id: str, mode: str = AUTO) -> Explanation:
        """Return why a search for a question returns a chunk, or why not.

        Args:
            question: As in `search`.
            chunk_id: Id of the chunk, which need not be among the best.
            mode: As in `search`.

        Raises:
            QueryError: As in `search`, or no chunk has the id.
        """
        row = self._graph.chunks.row_of(chunk_id)
        if row is None:
            raise QueryError(f"there is no chunk '{chunk_id}'", "", "Ids stand in hits of a search")
        query, _ = self._query(question, _PLACES)
        routed = self._route(query.text) if mode == AUTO else None
        rank = mode_named(routed.mode if routed else mode)
        first = [item.row for item in self._ranking(rank, query).chunks]
        alone = np.arange(len(self._graph.chunks)) == row
        ranking = self._ranking(rank, replace(query, allowed=alone, k=1))
        stated = self._graph.chunk_relations.union(np.array([row]))
        nearest = nearest_relations(self._graph, query, np.flatnonzero(stated))[:_STATEMENTS]
        hits = self._provenance.chunk_hits(ranking.chunks)
        return Explanation(
            question=question,
            mode=routed.mode if routed else mode,
            route=routed,
            chunk=hits[0] if hits else None,
            place=first.index(row) + 1 if row in first else None,
            places=_PLACES,
            words=shared_words(self._graph, query.text, row),
            names=shared_names(self._graph, query.text, row),
            relations=self._provenance.relation_hits(nearest),
        )

    def neighbors(self, name: str) -> tuple[RelationHit, ...]:
        """Return every relation of the entity of this name, best supported first.

        Raises:
            QueryError: No entity has the name.
        """
        return self._browser.neighbors(name)

    def paths(self, a: str, b: str, max_hops: int | None = None) -> tuple[PathHit, ...]:
        """Return the shortest paths between two entities, at most `config.max_paths`.

        Args:
            a: Name of an entity.
            b: Name of another.
            max_hops: Longest path wanted; `config.max_hops` by default.

        Raises:
            QueryError: No entity has a name.
        """
        hops = self.config.max_hops if max_hops is None else max_hops
        return self._browser.paths(a, b, hops, self.config.max_paths)

    def community(self, name: str) -> tuple[CommunityHit, ...]:
        """Return the communities of the entity of this name, the coarsest first.

        Raises:
            QueryError: No entity has the name.
        """
        return self._browser.community(name)

    def cite(self, item_id: str) -> tuple[SourceSentence, ...]:
        """Return the sentences behind a relation, an entity or a sentence, by its id.

        Raises:
            QueryError: The snapshot has no such id.
        """
        return self._browser.cite(item_id)

    def skeleton(self, budget_tokens: int = 1000) -> str:
        """Return the best supported relations as CSV, as many as the budget allows.

        Raises:
            QueryError: The budget is negative.
        """
        return self._browser.skeleton(budget_tokens)

    @cached_property
    def _browser(self) -> Browser:
        return Browser(self._graph, self._provenance)

    def _query(self, question: str, k: int | None) -> tuple[Query, list[str]]:
        """Return the question within its bounds, and notes on what is left out."""
        k = self.config.k if k is None else k
        check_question(question, k)
        read, places, notes = within_bounds(question, int(k))
        return Query(read, places, self._encoder.encode, self._noun_phrases), notes

    def _route(self, question: str) -> Route:
        routed = route(question)
        log.info(
            "question routed to mode %s (%s: %s) in %.2f ms",
            routed.mode, routed.kind, "; ".join(routed.reasons), routed.milliseconds,
        )  # fmt: skip
        return routed

    def _ranking(self, rank: Mode, query: Query) -> Ranking:
        if not len(self._graph.chunks) and not len(self._graph.entities):
            return Ranking(notes=["The snapshot holds no chunks and no entities."])
        if query.allowed is not None and not query.allowed.any():
            return Ranking(notes=["No chunk fits the filters."])
        return rank(self._graph, query, self.config)

    @cached_property
    def _provenance(self) -> Provenance:
        return Provenance(self.snapshot, self._graph)


def open_index(
    store: str | Path,
    snapshot: str | None = None,
    principals: Principals = None,
    *,
    config: RetrievalConfig | None = None,
    embedder: Embedder | None = None,
    noun_phrases: Callable[[str], Sequence[str]] | None = None,
    verify: bool = True,
) -> Index:
    """Open a published snapshot for search.

    Args:
        store: Folder or URI of the store; what is not on the local disk is copied there (`mirror`).
        snapshot: Id of the snapshot; the current one by default. Either way it is pinned.
        principals: Access labels that the reader holds: only what rests on documents with one of
            them, or with the label `public`, is found. Needed where the snapshot has labels, and
            refused where it has none.
        config: Parameters of the search; the paper's by default.
        embedder: Query encoder; by default the model the manifest names, loaded on first search.
        noun_phrases: Finds the noun phrases of a question; spaCy by default, loaded on first use.
        verify: Whether tables are compared with their published hashes when they are first read.

    Raises:
        SnapshotError: Nothing is published, there is no such snapshot, it is damaged, or the
            embedder is not the one it was embedded with.
        AccessError: The snapshot has labels and no principals are given, or the other way round.
        ArtifactError: One of its tables is missing or unreadable.
    """

    def opened(pinned: Snapshot) -> Index:
        local = mirrored(pinned)
        seen = visible(local if verify else Snapshot(local.folder, checked=False), principals)
        return Index(seen, config=config, embedder=embedder, noun_phrases=noun_phrases)

    return Store(str(store)).opened(opened, snapshot)
