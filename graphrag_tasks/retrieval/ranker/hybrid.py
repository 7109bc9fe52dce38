"""Modes `dense`, `bm25` and `hybrid`: baselines without a graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query, RankedChunk, Ranking, probability, ranked_chunks
from graphrag_tasks.retrieval.view.arrays import Scores, standardised
from graphrag_tasks.storage.artifacts import Rows

_BM25_WEIGHT = 0.67
"""Weight of the BM25 score beside the cosine, both standardised: the cosine of the default encoder earns half as
much again (docs/results.md)."""


def rank_dense(graph: Graph, query: Query, _: RetrievalConfig) -> Ranking:
    """Return the k chunks with the highest cosine."""
    (dense,) = graph.chunks.vectors.cosines(query.vector[None], allowed=query.allowed)
    scores = dense.values
    id_ranks = graph.chunks.id_ranks
    rows = query.best_chunks(query.reranked(scores, id_ranks), id_ranks)
    ranks = [{"dense": place} for place in range(1, len(rows) + 1)]
    return Ranking(chunks=ranked_chunks(rows, scores, dense, ranks))


def rank_bm25(graph: Graph, query: Query, _: RetrievalConfig) -> Ranking:
    """Return the k chunks with the highest BM25 score, without chunks that share no term."""
    scores = graph.lexicon.scores(graph.lexicon.asked(query.text))
    id_ranks = graph.chunks.id_ranks
    rows = query.best_chunks(query.reranked(scores, id_ranks), id_ranks)
    rows = rows[scores[rows] > 0]
    ranks = [{"bm25": place} for place in range(1, len(rows) + 1)]
    notes = [] if len(rows) else ["No word of the question is in the corpus."]
    return Ranking(chunks=ranked_chunks(rows, scores, None, ranks), notes=notes)


def rank_hybrid(graph: Graph, query: Query, _: RetrievalConfig) -> Ranking:
    """Return the k best chunks by cosine and BM25."""
    return Ranking(chunks=hybrid_chunks(graph, query, _BM25_WEIGHT))


def hybrid_chunks(
    graph: Graph, query: Query, bm25_weight: float, inside: NDArray[np.bool_] | None = None
) -> list[RankedChunk]:
    """Return the k chunks with the highest sum of standardised cosine and weighted BM25 score.

    `inside`, shape (chunks,), limits the choice; scores are standardised over all chunks.
    """
    lexical = graph.lexicon.scores(graph.lexicon.asked(query.text))
    allowed = query.allowed
    if inside is not None:
        allowed = inside if allowed is None else inside & allowed
    (dense,) = graph.chunks.vectors.cosines(query.vector[None], beside=lexical, allowed=allowed)
    scores = dense.standardised + np.float32(bm25_weight) * standardised(lexical)
    id_ranks = graph.chunks.id_ranks
    order = query.reranked(scores, id_ranks)
    if inside is None:
        rows = query.best_chunks(order, id_ranks)
    else:
        rows = query.best_chunks(order, id_ranks, len(scores))
        rows = rows[inside[rows]][: query.k]
    ranks = list_ranks({"dense": dense.values, "bm25": lexical}, rows)
    return ranked_chunks(rows, scores, dense, ranks)


def list_ranks(lists: Mapping[str, Scores], rows: Rows) -> list[dict[str, int]]:
    """Return each row's rank in each list, from 1; equal scores share a rank."""
    ranks = []
    for scores in lists.values():
        own = scores[rows]
        better = np.sort(scores[scores > own.min(initial=np.inf)])
        above = len(better) - np.searchsorted(better, own, side="right")
        ranks.append((above + 1).tolist())
    return [dict(zip(lists, of_row, strict=True)) for of_row in zip(*ranks, strict=True)]


# The probability that a chunk answers, and several questions in one search: rewordings or parts beside the question.

_INTERCEPT, _COSINE, _COVERAGE = -3.05, 3.30, 2.00
"""Log-odds of neither, and what a cosine of 1 and all words of the question add."""
_INTERCEPT_OF_WORDS, _COVERAGE_OF_WORDS = -1.85, 2.49  # Where the mode encodes no question, words decide alone.


def relevances(graph: Graph, question: str, chunks: Iterable[RankedChunk]) -> list[float]:
    """Return each chunk's probability to answer the question, by cosine and words."""
    read = list(chunks)
    shares = graph.lexicon.shares_held(question, np.array([chunk.row for chunk in read], np.int64))
    return [relevance(chunk.similarity, share) for chunk, share in zip(read, shares, strict=True)]


def relevance(cosine: float | None, coverage: float) -> float:
    """Return the probability that a chunk answers a question.

    `cosine` is None if the question was not encoded; `coverage` comes from `Lexicon.shares_held`.
    """
    if cosine is None:
        log_odds = _INTERCEPT_OF_WORDS + _COVERAGE_OF_WORDS * coverage
    else:
        log_odds = _INTERCEPT + _COSINE * cosine + _COVERAGE * coverage
    return probability(log_odds)


PLACES = 20  # Chunks of each search that are put together.

_KEPT, _WEIGHT = 3, 2.0
"""First chunks of the question that stay, and the weight of other questions beside it. On MuSiQue (100 questions of
dev) names of the gold documents raise recall@5 by .056, with a weight of 1 by .036; two names drawn from the graph
at random lower it by .023, with 1 by .015 (`benchmarks/plan.py`). A plan is right more often than that."""


def fused(rankings: Sequence[Sequence[RankedChunk]]) -> list[RankedChunk]:
    """Return the chunks of several rankings, the question's first, in one order.

    The standardised scores are summed; a ranking without the chunk counts with its lowest score.
    """
    first = rankings[0]
    hits = {hit.row: hit for ranking in reversed(rankings) for hit in ranking}
    sums = dict.fromkeys(hits, 0.0)
    for place, ranking in enumerate(rankings):
        weight = _WEIGHT if place else 1.0
        scores = standardised(np.array([hit.score for hit in ranking], dtype=np.float32))
        own = dict(zip((hit.row for hit in ranking), scores.tolist(), strict=True))
        lowest = min(own.values(), default=0.0)
        for row in sums:
            sums[row] += weight * own.get(row, lowest)
    places = {hit.row: place for place, hit in enumerate(first)}
    later = len(first)

    def order(row: int) -> tuple[int, float, int, int]:
        place = places.get(row, later)
        return min(place, _KEPT), -sums[row], place, row

    return [hits[row] for row in sorted(hits, key=order)]
