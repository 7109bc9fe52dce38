"""Circles to place on the map: radii, parents and ties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.graph.weights import Rows, Weights

Places = NDArray[np.float64]
"""Coordinates, shape (2, circles): x and y."""

MOST_FORCED, _SMALL = 120, 1 / 8
"""Most circles of a parent that forces move, and the smallest radius beside the largest.

Forces compare all pairs, so this bounds the work. The other circles fill gaps.
"""
_GAP = 1.05
"""Factor by which circles are enlarged, so that gaps stay between them."""


@dataclass(frozen=True)
class Circles:
    """Circles grouped by parent, in the order of placement; parents are numbered without gaps.

    `ends` and `ties` are sorted pairs of circles of one parent, and how strongly each pair is tied.
    `is_middle` marks circles to place in the middle of their parent. Such a parent contains points,
    which may overlap a little.
    """

    parents: Rows
    radii: Weights
    ends: Rows
    ties: Weights
    is_middle: NDArray[np.bool_]

    @property
    def counts(self) -> Rows:
        """Number of circles of each parent."""
        return np.bincount(self.parents)

    @property
    def starts(self) -> Rows:
        """First circle of each parent."""
        return np.cumsum(self.counts) - self.counts

    @property
    def spaces(self) -> Weights:
        """Radii including the gap around each circle."""
        return self.radii * _GAP

    @property
    def is_forced(self) -> NDArray[np.bool_]:
        """Mask of the circles that forces move."""
        place = np.arange(len(self.parents)) - self.starts[self.parents]
        largest = np.maximum.reduceat(self.radii, self.starts)[self.parents]
        forced: NDArray[np.bool_] = (place < MOST_FORCED) & (self.radii > _SMALL * largest)
        return forced

    def part(self, first: int, last: int) -> Circles:
        """Return the circles of the parents in `range(first, last)`."""
        begin, end = np.searchsorted(self.parents, [first, last])
        tied = slice(*np.searchsorted(self.ends[:, 0], [begin, end]))
        own = slice(begin, end)
        return Circles(
            self.parents[own] - first, self.radii[own],
            self.ends[tied] - begin, self.ties[tied], self.is_middle[own],
        )  # fmt: skip

    def only(self, kept: NDArray[np.bool_]) -> Circles:
        """Return the circles in a mask, and the ties between them."""
        tied = kept[self.ends].all(axis=1)
        ends = (np.cumsum(kept) - 1)[self.ends[tied]]
        return Circles(
            self.parents[kept], self.radii[kept], ends, self.ties[tied], self.is_middle[kept]
        )


def lengths(ways: Places) -> Weights:
    """Return the lengths of vectors, never zero."""
    found: Weights = np.sqrt(ways[0] * ways[0] + ways[1] * ways[1]) + 1e-9
    return found
