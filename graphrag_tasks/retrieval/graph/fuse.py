"""Ordering by score and reciprocal rank fusion; ties always go to the smaller id."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.retrieval.view.arrays import Rows, Scores

_NO_DEVIATION = 1e-9


def best_first(scores: Scores, id_ranks: Rows) -> Rows:
    """Return positions in falling order of score; ties in ascending order of id.

    Args:
        scores: Shape (n,).
        id_ranks: Shape (n,): position of each id in sorted order.
    """
    return np.lexsort((id_ranks, -scores))


def top(scores: Scores, id_ranks: Rows, n: int) -> Rows:
    """Return the first `n` of `best_first`, sorting no more than it must."""
    if n >= len(scores):
        return best_first(scores, id_ranks)
    threshold = np.partition(scores, -n)[-n]
    rows = np.flatnonzero(scores >= threshold)
    return rows[best_first(scores[rows], id_ranks[rows])][:n]


@dataclass(frozen=True)
class Fusion:
    """What `reciprocal_rank_fusion` gives.

    Attributes:
        scores: Shape (rows,): the fused score; 0 for a row in no list.
        ranks: For each list, shape (rows,): the row's rank from 1, or 0 where it is not in it.
    """

    scores: NDArray[np.float64]
    ranks: Mapping[str, Rows]

    def ranks_of(self, row: int) -> dict[str, int]:
        """Return the lists a row is in, each with its rank there."""
        return {name: int(ranks[row]) for name, ranks in self.ranks.items() if ranks[row]}


def reciprocal_rank_fusion(lists: Mapping[str, Rows], size: int, k: int) -> Fusion:
    """Fuse ranked lists: score(d) = sum over the lists that hold d of 1 / (k + rank(d)).

    Source: Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and
    individual rank learning methods", SIGIR 2009, where k = 60.

    Args:
        lists: Distinct rows by name of the list, best first.
        size: Number of rows there are.
        k: The constant; the larger it is, the less a first place counts.
    """
    scores = np.zeros(size, dtype=np.float64)
    ranks: dict[str, Rows] = {}
    for name, rows in lists.items():
        ranks[name] = np.zeros(size, dtype=np.int64)
        ranks[name][rows] = np.arange(1, len(rows) + 1)
        scores[rows] += 1.0 / (k + ranks[name][rows])
    return Fusion(scores, ranks)


def standardised(scores: Scores, rows: Rows | slice = slice(None)) -> NDArray[np.float32]:
    """Return scores less their mean, over their standard deviation; all 0 where they are equal.

    Args:
        scores: Shape (n,).
        rows: Those whose scores are wanted; the mean is that of all.
    """
    if not len(scores):
        return np.zeros(0, dtype=np.float32)
    centred = scores - scores.sum() / len(scores)
    deviation = math.sqrt(float(centred @ centred) / len(centred))
    wanted = centred[rows]
    if deviation < _NO_DEVIATION:
        return np.zeros(len(wanted), dtype=np.float32)
    scaled: NDArray[np.float32] = (wanted / deviation).astype(np.float32, copy=False)
    return scaled
