"""Ordering by score and reciprocal rank fusion; ties always go to the smaller id."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.retrieval.view.arrays import Rows, Scores

_NO_DEVIATION = 1e-9


def top(scores: Scores, id_ranks: Rows, n: int) -> Rows:
    """Return the positions of the `n` highest scores, best first; ties by ascending id rank."""
    if n >= len(scores):
        return np.lexsort((id_ranks, -scores))
    rows = np.flatnonzero(scores >= np.partition(scores, -n)[-n])
    return rows[np.lexsort((id_ranks[rows], -scores[rows]))][:n]


def reciprocal_rank_fusion(
    lists: Mapping[str, Rows], size: int, k: int
) -> tuple[NDArray[np.float64], Mapping[str, Rows]]:
    """Fuse ranked lists: score(d) = sum over the lists that hold d of 1 / (k + rank(d)).

    Source: Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and
    individual rank learning methods", SIGIR 2009, where k = 60.

    Args:
        lists: Distinct rows by name of the list, best first.
        size: Number of rows.
        k: The constant; the larger it is, the less a first place counts.

    Returns:
        The fused scores, shape (size,), 0 for a row in no list; and the ranks in each list, shape
        (size,), from 1, or 0 for a row that is not in it.
    """
    scores = np.zeros(size, dtype=np.float64)
    ranks: dict[str, Rows] = {}
    for name, rows in lists.items():
        ranks[name] = np.zeros(size, dtype=np.int64)
        ranks[name][rows] = np.arange(1, len(rows) + 1)
        scores[rows] += 1.0 / (k + ranks[name][rows])
    return scores, ranks


def standardised(scores: Scores) -> NDArray[np.float32]:
    """Return scores less their mean, over their standard deviation; all 0 where they are equal."""
    if not len(scores):
        return np.zeros(0, dtype=np.float32)
    centred = scores - scores.sum() / len(scores)
    deviation = math.sqrt(float(centred @ centred) / len(centred))
    if deviation < _NO_DEVIATION:
        return np.zeros(len(scores), dtype=np.float32)
    scaled: NDArray[np.float32] = (centred / deviation).astype(np.float32, copy=False)
    return scaled
