"""The probability that a chunk answers, and several questions in one search: rewordings or parts beside the question.

A language model's rewording may be wrong, so it is searched in addition to the question, never instead: the first
chunks stay, the others are ordered by both searches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import RankedChunk, probability
from graphrag_tasks.retrieval.view.arrays import standardised

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
