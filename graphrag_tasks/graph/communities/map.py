"""A map of the communities: nested circles for communities, and a point for each member.

The area of a circle is proportional to its number of entities, among circles of one parent. Child communities, and
members in no child community (circles of one entity), are packed into the parent's circle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.graph.communities.packing import pack
from graphrag_tasks.graph.communities.partition import Membership, simple
from graphrag_tasks.graph.weights import Rows, Weights

EXTENT = 1000.0  # All coordinates are within ± this value.
_DECIMALS = 1  # Decimals of coordinates: a tenth, of a width of 2,000, is less than a pixel.
_ASPECT = 1.5  # Ratio of width to height of the map, like that of a page.
_FILL = 0.97  # Share of a circle's radius that its contents take.
_SAME = 6  # Decimals to which centralities are rounded, so that the order of summation has no effect.


@dataclass(frozen=True)
class CommunityMap:
    """Coordinates of communities and entities.

    `circles` has x, y and radius of the communities of each level, shape (communities, 3); `points` x and y of each
    entity, shape (nodes, 2), NaN for entities in no community.
    """

    circles: Sequence[NDArray[np.float64]]
    points: NDArray[np.float64]


def draw(
    memberships: Sequence[Membership], centralities: Sequence[Weights], ends: Rows, weights: Weights
) -> CommunityMap:
    """Place nested communities and their members.

    `memberships` and `centralities` have the nodes' values at each level, coarsest first; `ends` and `weights` are the
    edges of the graph, in any order.
    """
    nodes = len(memberships[0])
    points = np.full((nodes, 2), np.nan)
    levels: list[NDArray[np.float64]] = []
    above, around = np.where(memberships[0] < 0, -1, 0), np.array([[0.0, 0.0, 1.0]])
    for level, below in enumerate([*memberships, np.full(nodes, -1)]):
        items = _Items(above, below, centralities[max(level - 1, 0)])
        packed = items.packed(ends, weights, aspect=1.0 if level else _ASPECT)
        packed *= _FILL * around[items.parents, 2:]
        packed[:, :2] += around[items.parents, :2]
        points[items.loose] = packed[items.communities :, :2]
        above, around = below, packed[: items.communities]
        levels.append(around)
    reach = float((np.abs(levels[0][:, :2]) + levels[0][:, 2:]).max(initial=0.0)) or 1.0
    circles = [np.round(one * (EXTENT / reach), _DECIMALS) for one in levels[:-1]]
    return CommunityMap(circles, np.round(points * (EXTENT / reach), _DECIMALS))


class _Items:
    """The direct contents of the communities of a level: child communities, then loose members."""

    def __init__(self, above: Membership, below: Membership, centrality: Weights) -> None:
        self.loose = np.flatnonzero((above >= 0) & (below < 0))
        self.communities = int(below.max(initial=-1)) + 1
        self._above, self._of = above, below.copy()
        self._of[self.loose] = self.communities + np.arange(len(self.loose))
        within = np.flatnonzero(self._of >= 0)
        self._sizes = np.bincount(self._of[within]).astype(np.float64)
        self.parents = np.empty(len(self._sizes), np.int64)
        self.parents[self._of[within]] = above[within]
        self._centrality = np.round(centrality[self.loose], _SAME)

    def packed(self, ends: Rows, weights: Weights, aspect: float) -> NDArray[np.float64]:
        """Return x, y and radius of each item in a circle of radius 1 around 0.

        The largest are placed first, then loose members, the most central first.
        """
        rank = np.append(self._sizes[: self.communities], self._centrality)
        is_loose = np.arange(len(rank)) >= self.communities
        order = np.lexsort((-rank, is_loose, self.parents))  # a stable sort
        places = np.argsort(order)
        parents, sizes = self.parents[order], self._sizes[order]
        heads, tails = self._above[ends].T
        inside = (heads == tails) & (heads >= 0)
        joined, ties = simple(places[self._of[ends[inside]]], weights[inside], len(order))
        ties /= np.sqrt(sizes[joined].prod(axis=1))
        bounds = np.flatnonzero(np.diff(parents, prepend=-1, append=-1))
        packed = np.empty((len(order), 3))
        tied = np.searchsorted(joined[:, 0], bounds)
        for (begin, end), (low, high) in zip(pairwise(bounds), pairwise(tied), strict=True):
            own = joined[low:high] - begin
            later = np.lexsort((own[:, 0], own[:, 1]))
            packed[order[begin:end]] = pack(np.sqrt(sizes[begin:end]), own[later], ties[low:high][later], aspect=aspect)
        return packed
