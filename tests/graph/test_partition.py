"""Partition: levels nest, and neither order nor direction of the edges shows."""

import itertools
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_tasks.graph.communities.partition import Membership, partition

RESOLUTIONS = (0.5, 2.0, 8.0)


def levels(
    nodes: int, edges: list[tuple[int, int]], weights: list[float] | None = None, smallest: int = 1
) -> list[Membership]:
    return partition(
        nodes,
        np.array(edges, dtype=np.int64).reshape(-1, 2),
        np.array(weights or [1.0] * len(edges)),
        resolutions=RESOLUTIONS,
        min_members=smallest,
        seed=0,
    )


def clique(first: int, size: int) -> list[tuple[int, int]]:
    return [(first + i, first + j) for i in range(size) for j in range(i)]


def test_two_cliques_with_one_bridge_are_two_communities() -> None:
    coarse, *_ = levels(10, [*clique(0, 5), *clique(5, 5), (0, 5)])
    assert coarse.tolist() == [0] * 5 + [1] * 5


@pytest.mark.parametrize("nodes", [0, 1, 7])
def test_a_graph_without_edges_has_no_community_of_two(nodes: int) -> None:
    assert [level.tolist() for level in levels(nodes, [], smallest=2)] == [[-1] * nodes] * 3


def test_loops_count_for_nothing() -> None:
    assert levels(2, [(0, 0), (1, 1)], smallest=2)[0].tolist() == [-1, -1]


def test_small_communities_are_left_out() -> None:
    coarse, *_ = levels(6, [*clique(0, 4), (4, 5)], smallest=3)
    assert coarse.tolist() == [0, 0, 0, 0, -1, -1]


def test_nodes_without_an_edge_are_alone_where_one_is_enough() -> None:
    assert levels(5, clique(1, 3))[0].tolist() == [0, 1, 1, 1, 2]


def test_a_star_is_one_community_at_the_coarsest_level() -> None:
    leaves = 100_000
    coarse, *_ = levels(leaves + 1, [(0, leaf) for leaf in range(1, leaves + 1)])
    assert coarse.max() == 0


edge_lists = st.lists(
    st.tuples(st.integers(0, 19), st.integers(0, 19), st.integers(1, 9)), max_size=80
)


@given(edge_lists)
def test_every_community_lies_in_one_parent(edges: list[tuple[int, int, int]]) -> None:
    found = levels(20, [edge[:2] for edge in edges], [float(edge[2]) for edge in edges])
    for above, below in itertools.pairwise(found):
        parents = {(child, parent) for child, parent in zip(below, above, strict=True)}
        assert len(parents) == below.max() + 1


@given(edge_lists, st.randoms())
def test_order_and_direction_of_edges_do_not_show(
    edges: list[tuple[int, int, int]], random: Random
) -> None:
    other = [(b, a, w / 10) if random.random() < 0.5 else (a, b, w / 10) for a, b, w in edges]
    random.shuffle(other)
    one = levels(20, [edge[:2] for edge in edges], [edge[2] / 10 for edge in edges])
    two = levels(20, [edge[:2] for edge in other], [edge[2] for edge in other])
    assert [level.tolist() for level in one] == [level.tolist() for level in two]
