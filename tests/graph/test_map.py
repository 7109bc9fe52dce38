"""The map of communities: circles that do not overlap, inside each other, the same each time."""

import random
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from graphrag_tasks.graph.communities.map import EXTENT, CommunityMap, draw
from graphrag_tasks.graph.communities.partition import Membership, partition

ROUNDED = 0.2  # What rounding middles and radii to a tenth adds to distances, and then some.

Edges = tuple[NDArray[np.int64], NDArray[np.float64]]


def towns(sizes: Sequence[int], seed: int = 0) -> Edges:
    """Random edges inside towns of so many nodes, and a few between neighbouring towns."""
    drawn = random.Random(seed)
    ends = []
    starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    for start, end in pairwise(starts):
        ends += [(node, drawn.randrange(start, node)) for node in range(start + 1, end)]
        ends += [(drawn.randrange(start, end), drawn.randrange(start, end)) for _ in range(end)]
        if start:
            ends.append((start, start - 1))
    proper = np.array([one for one in ends if one[0] != one[1]], np.int64).reshape(-1, 2)
    return proper, np.array([drawn.uniform(0.1, 1.0) for _ in proper])


def centrality(membership: Membership, edges: Edges) -> NDArray[np.float64]:
    ends, weights = edges
    inside = np.where(np.diff(membership[ends])[:, 0] == 0, weights, 0.0)
    found: NDArray[np.float64] = np.bincount(ends.ravel(), np.repeat(inside, 2), len(membership)).astype(np.float64)
    return found


def mapped(memberships: Sequence[Membership], edges: Edges) -> CommunityMap:
    return draw(memberships, [centrality(one, edges) for one in memberships], *edges)


def communities_of(nodes: int, edges: Edges, *resolutions: float) -> list[Membership]:
    return partition(nodes, *edges, resolutions=resolutions)


def distances(places: NDArray[np.float64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = np.linalg.norm(places[:, None, :2] - places[None, :, :2], axis=2)
    return found


def largest_overlap(found: NDArray[np.float64]) -> float:
    overlaps = found[:, None, 2] + found[None, :, 2] - distances(found)
    np.fill_diagonal(overlaps, -np.inf)
    return float(overlaps.max())


def sticking_out(inner: NDArray[np.float64], outer: NDArray[np.float64]) -> float:
    """Return how far circles or points reach out of the circles beside them, at most."""
    radii = inner[:, 2] if inner.shape[1] == 3 else 0.0
    reach = np.linalg.norm(inner[:, :2] - outer[:, :2], axis=1) + radii
    return float((reach - outer[:, 2]).max())


SIZES = (40, 4, 90, 12, 200, 7, 30, 3, 60, 5, 25)


@pytest.fixture(scope="module")
def edges() -> Edges:
    return towns(SIZES)


@pytest.fixture(scope="module")
def memberships(edges: Edges) -> list[Membership]:
    return communities_of(sum(SIZES) + 1, edges, 0.5, 2.0, 8.0)


@pytest.fixture(scope="module")
def found(memberships: list[Membership], edges: Edges) -> CommunityMap:
    return mapped(memberships, edges)


def test_circles_of_a_level_do_not_overlap(found: CommunityMap) -> None:
    assert all(len(level) > 5 for level in found.circles)
    assert all(largest_overlap(level) < ROUNDED for level in found.circles)


def test_circles_lie_in_their_parents_and_members_in_their_communities(
    memberships: list[Membership], found: CommunityMap
) -> None:
    for (above, outer), (below, inner) in pairwise(zip(memberships, found.circles, strict=True)):
        members = np.flatnonzero(below >= 0)
        assert sticking_out(inner[below[members]], outer[above[members]]) < ROUNDED
    for membership, level in zip(memberships, found.circles, strict=True):
        members = np.flatnonzero(membership >= 0)
        assert sticking_out(found.points[members], level[membership[members]]) < ROUNDED


@pytest.mark.slow
def test_thousands_of_communities_are_placed_beside_large_ones() -> None:
    sizes = [600, *(3 + 2000 // (number + 4) for number in range(4999))]
    group = np.repeat(np.arange(5000), sizes)
    hubs = np.cumsum(sizes) - sizes
    ends = np.column_stack([hubs[:-1], hubs[1:]])
    level = mapped([group], (ends, np.ones(len(ends)))).circles[0]
    assert max(largest_overlap(part) for part in np.array_split(level, 10)) < ROUNDED
    assert np.abs(level[:, :2]).max() <= EXTENT
