"""Combine several questions in one search: rewordings or parts besides the question.

A language model's rewording may be wrong, so it is searched in addition to the question, never instead: the first
chunks stay, the others are ordered by both searches.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphrag_tasks.retrieval.question.query import RankedChunk
from graphrag_tasks.retrieval.view.arrays import standardised

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
