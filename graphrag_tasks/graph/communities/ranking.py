"""The best few of each group, for arrays of any length."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]


def best_of_groups(
    groups: Rows, scores: NDArray[np.float64], order: Rows, *, count: int
) -> tuple[Rows, Rows]:
    """Return the rows with the highest scores of each group.

    Args:
        groups: Group of each row; negative for rows in none.
        scores: Score of each row.
        order: Breaks ties: the lower one first.
        count: Rows kept of each group.

    Returns:
        The kept rows, by group and then best first, and the group of each.
    """
    grouped = np.flatnonzero(groups >= 0)
    ranked = grouped[np.lexsort((order[grouped], -scores[grouped], groups[grouped]))]
    sorted_groups = groups[ranked]
    starts = np.flatnonzero(np.diff(sorted_groups, prepend=-1))
    sizes = np.diff(starts, append=len(ranked))
    place = np.arange(len(ranked)) - np.repeat(starts, sizes)
    kept = place < count
    return ranked[kept], sorted_groups[kept]
