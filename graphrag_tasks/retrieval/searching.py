"""Search for a question: query, ranking of a mode, reranking, signals."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.retrieval.context.context import Signals, content_words, written_as_names
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.modes.registry import AUTO, PLAIN_MODES, mode_named
from graphrag_tasks.retrieval.question.query import MOST_CHUNKS, Query, Ranking, Reranking, checked, checked_number
from graphrag_tasks.retrieval.question.router import Route, route
from graphrag_tasks.retrieval.ranker.hybrid import PLACES, fused
from graphrag_tasks.retrieval.reranker import Passage, Reranker
from graphrag_tasks.retrieval.view.arrays import Vectors
from graphrag_tasks.retrieval.view.vector_index import ARRAYS

OF_PART = 3
"""Where documents are long: chunks that are read with each part of a question alone. Chosen on the SAP questions
(benchmarks/README.md)."""
_WEIGHT = 0.5  # Of the reranker's score beside the first reading's. Chosen on nine sets (benchmarks/README.md).
SERVED_MODES = ("dense", "hybrid")  # The modes of an index whose vectors are on a server.

log = logging.getLogger(__name__)


def needs_arrays(what: str) -> QueryError:
    """Return the error for what an index whose vectors are on a server does not do."""
    hint = f'Ask in mode {" or ".join(SERVED_MODES)}, or set retrieval.vectors = "{ARRAYS}" (--vectors {ARRAYS})'
    return QueryError(f"{what} is not done in a vector server", "retrieval.vectors", hint)


@dataclass(frozen=True)
class Found:
    """Result of searching for a question; the query has its reranking."""

    ranking: Ranking
    query: Query
    signals: Signals


@dataclass(frozen=True)
class Searcher:
    """Ranks rows of a graph for questions.

    Attributes:
        graph: The snapshot's graph.
        config: Parameters of the search.
        encode: Returns the unit vectors of texts.
        noun_phrases: Returns the noun phrases of a text.
        passages: Returns chunks as the reranker reads them.
        reranker: Returns the reranker; called where chunks are reranked.
        weight: Of the reranker's score beside the first reading's, both standardised.
        of_part: Where documents are long: chunks that it reads with each part of a question alone.
    """

    graph: Graph
    config: RetrievalConfig
    encode: Callable[[Sequence[str]], Vectors]
    noun_phrases: Callable[[str], Sequence[str]]
    passages: Callable[[Sequence[int]], Sequence[Passage]]
    reranker: Callable[[], Reranker]
    of_part: int = OF_PART
    weight: float = _WEIGHT

    def query(self, question: str, k: int | None) -> tuple[Query, list[str]]:
        """Return the checked question, with notes if it or k was cut."""
        read, places, notes = checked(question, self.config.k if k is None else k)
        last = self.graph.reference_chunks
        return Query(read, places, self.encode, self.noun_phrases, last=last), notes

    def routed(self, query: Query, mode: str) -> tuple[Route | None, str]:
        """Return the mode, with the router's reason if it is `auto`."""
        if mode != AUTO:
            mode_named(mode)
        if self.config.vectors != ARRAYS and mode not in SERVED_MODES:
            raise needs_arrays(f"mode '{mode}'")
        if mode != AUTO:
            return None, mode
        routed = route(query.text)
        log.info(
            "question routed to mode %s (%s: %s) in %.2f ms",
            routed.mode, routed.kind, "; ".join(routed.reasons), routed.milliseconds,
        )  # fmt: skip
        return routed, routed.mode

    def found(self, query: Query, mode: str, rerank: int | None, beside: Sequence[str] = ()) -> Found:
        """Return a mode's result for a question and for additional questions.

        `rerank` and `beside` are as in `Index.search`.
        """
        if not beside:
            return self._found(query, mode, rerank)
        several = replace(query, k=max(query.k, PLACES))
        asked = [several, *(replace(several, text=checked(one, 1)[0]) for one in beside)]
        first, *others = [self._found(one, mode, rerank) for one in asked]
        if first.query.reranking is not None:
            for other in others:
                first.query.reranking.learn(other.query.reranking)
        chunks = fused([one.ranking.chunks for one in (first, *others)])
        return Found(replace(first.ranking, chunks=chunks).cut(query.k), replace(first.query, k=query.k), first.signals)

    def _found(self, query: Query, mode: str, rerank: int | None) -> Found:
        query = self.with_reranking(query, mode, rerank)
        ranking = self.ranking(mode, query)
        if query.reranking and not query.reranking.scores and ranking.chunks:  # the mode keeps its own order
            query.reranking.of(query.text, np.array([chunk.row for chunk in ranking.chunks]))
        return Found(ranking, query, self._signals(query))

    def ranking(self, mode: str, query: Query) -> Ranking:
        """Return the rows that a mode chooses."""
        rank = mode_named(mode)
        if not len(self.graph.chunks) and not len(self.graph.entities):
            return Ranking(notes=["The snapshot holds no chunks and no entities."])
        if query.allowed is not None and not query.allowed.any():
            return Ranking(notes=["No chunk fits the filters."])
        return rank(self.graph, query, self.config)

    def with_reranking(self, query: Query, mode: str, candidates: int | None) -> Query:
        """Return a query with reranking of the first chunks, as `Index.search` defines it."""
        settings = self.config.rerank
        only_near = candidates is None
        if candidates is None:  # a question in a language of its own would be misread
            is_read = mode not in PLAIN_MODES and self.graph.lexicon.asked(query.text)
            candidates = settings.candidates if is_read else 0
        if not checked_number("rerank", candidates):
            return query
        read = self.reranker().scores
        reranking = Reranking(
            min(candidates, MOST_CHUNKS), self.passages, read, self.weight, only_near,
            self.of_part,
        )  # fmt: skip
        return replace(query, reranking=reranking)

    def _signals(self, query: Query) -> Signals:
        unknown = content_words(self.graph.lexicon.unknown_words(query.text))
        return Signals(unknown=unknown, unknown_names=written_as_names(query.text, unknown))
