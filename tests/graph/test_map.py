"""The map of communities: circles that do not overlap, inside each other, the same each time."""

import random
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from graphrag_tasks.graph.communities.map import EXTENT, CommunityMap, draw
from graphrag_tasks.graph.communities.partition import Membership, partition

ROUNDED = 0.2
"""What rounding middles and radii to a tenth adds to distances, and then some."""

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
    found: NDArray[np.float64] = np.bincount(
        ends.ravel(), np.repeat(inside, 2), len(membership)
    ).astype(np.float64)
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


def test_the_area_of_a_circle_is_its_number_of_entities(
    memberships: list[Membership], found: CommunityMap
) -> None:
    areas = found.circles[0][:, 2] ** 2
    sizes = np.bincount(memberships[0][memberships[0] >= 0])
    assert areas / areas.sum() == pytest.approx(sizes / sizes.sum(), rel=0.03)


def test_the_map_fills_its_extent_and_is_wider_than_high(found: CommunityMap) -> None:
    top = found.circles[0]
    width, height = (np.abs(top[:, :2]) + top[:, 2:]).max(axis=0)
    assert width == pytest.approx(EXTENT, abs=ROUNDED)
    assert 1.15 < width / height < 1.9
    assert np.pi * (top[:, 2] ** 2).sum() > 0.25 * 4 * width * height


def test_few_that_are_tied_alone_do_not_go_far() -> None:
    sizes = [40, 36, 34, 33, 32, 18, 16, 15, *[3] * 12]
    edges = towns(sizes)
    group = np.repeat(np.arange(len(sizes)), sizes)
    apart = (edges[0] < sum(sizes[:-3])).all(axis=1) == (edges[0] < sum(sizes[:-3])).any(axis=1)
    level = mapped([group], (edges[0][apart], edges[1][apart])).circles[0]
    width, height = (np.abs(level[:, :2]) + level[:, 2:]).max(axis=0)
    assert np.pi * (level[:, 2] ** 2).sum() > 0.3 * 4 * width * height


def test_entities_in_no_community_have_no_place(
    memberships: list[Membership], found: CommunityMap
) -> None:
    assert (np.isnan(found.points).any(axis=1) == (memberships[0] < 0)).all()
    assert (memberships[0] < 0).any()


def test_members_of_no_child_lie_outside_the_children() -> None:
    top, below = np.zeros(40, np.int64), np.repeat([0, 1, -1], [20, 12, 8])
    ends = np.column_stack([np.arange(39), np.arange(1, 40)])
    result = mapped([top, below], (ends, np.ones(39)))
    for circle in result.circles[1]:
        assert (np.linalg.norm(result.points[32:] - circle[:2], axis=1) > circle[2]).all()
    assert sticking_out(result.points, result.circles[0][top]) < 0


def test_the_most_central_is_in_the_middle_of_its_circle() -> None:
    star = np.array([(7, leaf) for leaf in range(61) if leaf != 7], np.int64)
    result = mapped([np.zeros(61, np.int64)], (star, np.ones(60)))
    from_middle = np.linalg.norm(result.points - result.circles[0][0, :2], axis=1)
    assert from_middle.argmin() == 7
    assert from_middle[7] < 0.1 * EXTENT


def test_tied_communities_are_near_each_other() -> None:
    group = np.repeat(np.arange(24), 10)
    chain = np.arange(240).reshape(24, 10)
    rng = np.random.default_rng(3)
    order = rng.permutation(24)  # neighbours on a ring that the numbers do not tell
    between = np.column_stack([chain[order, 0], chain[np.roll(order, 1), 1]])
    inside = np.column_stack([chain[:, :-1].ravel(), chain[:, 1:].ravel()])
    ends = np.concatenate([between, inside])
    level = mapped([group], (ends, np.ones(len(ends)))).circles[0]
    between_tied = distances(level)[order, np.roll(order, 1)]
    assert between_tied.mean() < 0.6 * distances(level)[~np.eye(24, dtype=bool)].mean()


@pytest.mark.parametrize("seed", range(3))
def test_the_order_and_direction_of_edges_do_not_show(
    memberships: list[Membership], edges: Edges, found: CommunityMap, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(edges[0]))
    ends = edges[0][order]
    turned = rng.random(len(ends)) < 0.5
    ends[turned] = ends[turned, ::-1]
    state = random.getstate()
    again = mapped(memberships, (ends, edges[1][order]))
    assert random.getstate() == state
    assert again.points.tobytes() == found.points.tobytes()
    assert [one.tobytes() for one in again.circles] == [one.tobytes() for one in found.circles]


def test_graphs_of_nothing_and_of_one_entity_have_empty_maps() -> None:
    none = (np.empty((0, 2), np.int64), np.empty(0))
    for nodes in (0, 1):
        result = mapped([np.full(nodes, -1)] * 2, none)
        assert [level.shape for level in result.circles] == [(0, 3), (0, 3)]
        assert result.points.shape == (nodes, 2)
        assert np.isnan(result.points).all()


@pytest.mark.parametrize("members", [1, 2, 3])
def test_one_community_fills_the_map(members: int) -> None:
    ends = np.column_stack([np.arange(members - 1), np.arange(1, members)])
    whole = np.zeros(members, np.int64)
    result = mapped([whole, whole], (ends, np.ones(len(ends))))
    assert result.circles[0].tolist() == [[0.0, 0.0, EXTENT]]
    assert 0.8 * EXTENT < result.circles[1][0, 2] < EXTENT
    assert len(np.unique(result.points, axis=0)) == members


def test_thousands_of_communities_are_placed_beside_large_ones() -> None:
    sizes = [600, *(3 + 2000 // (number + 4) for number in range(4999))]
    group = np.repeat(np.arange(5000), sizes)
    hubs = np.cumsum(sizes) - sizes
    ends = np.column_stack([hubs[:-1], hubs[1:]])
    level = mapped([group], (ends, np.ones(len(ends)))).circles[0]
    assert max(largest_overlap(part) for part in np.array_split(level, 10)) < ROUNDED
    assert np.abs(level[:, :2]).max() <= EXTENT


def test_a_community_of_fifty_thousand_is_placed_by_rank() -> None:
    nodes = 50_000
    star = np.array([(0, leaf) for leaf in range(1, nodes)], np.int64)
    result = mapped([np.zeros(nodes, np.int64)], (star, np.linspace(2.0, 1.0, nodes - 1)))
    from_middle = np.linalg.norm(result.points, axis=1)
    assert from_middle.argmin() == 0
    assert from_middle[: nodes // 4].max() < from_middle[nodes // 2 :].min()
    assert from_middle.max() <= EXTENT
