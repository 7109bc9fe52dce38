"""Leiden communities at several resolutions, each level nested in the level above.

Source of the algorithm: Traag, Waltman and van Eck, "From Louvain to Leiden" (2019), as igraph implements it, with
modularity as the objective.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import igraph
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from graphrag_tasks.graph.weights import Rows, Weights

Membership = NDArray[np.int64]  # Community of each node at one level; -1 for nodes in none.

_ITERATIONS = 2  # Leiden iterations. Ten take four times as long and raise modularity by .002.
_FEWEST_MEMBERS = 3  # Smaller communities are left out: a pair is told by its relation.
_SEED = 0  # Of the algorithm's random moves; any number does.


def partition(
    nodes: int, ends: Rows, weights: Weights,
    *, resolutions: Sequence[float],
) -> list[Membership]:  # fmt: skip
    """Return the communities of an undirected graph at each of the increasing resolutions.

    Edges between communities are dropped at the levels below, so every community lies inside one parent. The result
    depends on the numbering of the nodes, not on the order or direction of the edges: `ends`, of shape (edges, 2), and
    their positive weights. Parallel edges add up, loops do not count. Communities are numbered by their first node;
    small ones are left out.
    """
    ends, weights = simple(ends, weights, nodes)
    near = _near_neighbours(ends)
    ends, weights = _renumbered(ends, weights, near, nodes)
    levels: list[Membership] = []
    for resolution in resolutions:
        membership = _leiden(len(near), ends, weights, resolution)
        of_all = np.arange(len(near), len(near) + nodes)  # nodes without an edge are alone
        of_all[near] = membership
        levels.append(_numbered(of_all))
        inside = membership[ends[:, 0]] == membership[ends[:, 1]]
        ends, weights = ends[inside], weights[inside]
    return levels


def simple(ends: Rows, weights: Weights, nodes: int) -> tuple[Rows, Weights]:
    """Merge parallel edges of either direction, and drop loops; sorted by ends."""
    low, high = ends.min(axis=1, initial=nodes), ends.max(axis=1, initial=-1)
    proper = low < high
    keys = low[proper] * nodes + high[proper]
    order = np.lexsort((weights[proper], keys))  # sums of floats depend on their order
    found, starts = np.unique(keys[order], return_index=True)
    if not len(found):
        return np.empty((0, 2), np.int64), np.empty(0)
    sums = np.add.reduceat(weights[proper][order], starts)
    return np.column_stack([found // nodes, found % nodes]), sums


def _near_neighbours(ends: Rows) -> Rows:
    """Return the nodes with edges in breadth-first order, so neighbours are close.

    Ids order nodes at random. In this order Leiden reads memory that it has just read, which halves its time on a graph
    of 500,000 nodes.
    """
    found, places = np.unique(ends, return_inverse=True)
    if not len(found):
        return found
    heads, tails = places.reshape(-1, 2).T
    count = len(found)
    _, components = connected_components(_matrix(heads, tails, count), directed=False)
    _, firsts = np.unique(components, return_index=True)
    root = np.full(len(firsts), count)  # one more node, from which the search begins
    whole = _matrix(np.append(heads, root), np.append(tails, firsts), count + 1)
    order = breadth_first_order(whole, count, directed=False, return_predecessors=False)
    near: Rows = found[order[1:]]
    return near


def _matrix(heads: Rows, tails: Rows, count: int) -> csr_array:
    return coo_array((np.ones(len(heads), np.bool_), (heads, tails)), shape=(count, count)).tocsr()


def _renumbered(ends: Rows, weights: Weights, order: Rows, nodes: int) -> tuple[Rows, Weights]:
    """Return edges with nodes renumbered by a given order, sorted."""
    places = np.empty(nodes, np.int64)
    places[order] = np.arange(len(order))
    ends = np.sort(places[ends], axis=1)
    sorting = np.argsort(ends[:, 0] * nodes + ends[:, 1])
    return ends[sorting], weights[sorting]


def _leiden(nodes: int, ends: Rows, weights: Weights, resolution: float) -> Membership:
    if not len(ends):
        return np.arange(nodes, dtype=np.int64)
    graph = igraph.Graph(n=nodes, edges=zip(*ends.T.tolist(), strict=True))  # faster than an array
    igraph.set_random_number_generator(random.Random(_SEED))  # noqa: S311 - nothing secret
    try:
        found = graph.community_leiden("modularity", weights=weights, resolution=resolution, n_iterations=_ITERATIONS)
    finally:
        igraph.set_random_number_generator(random)
    return np.array(found.membership, dtype=np.int64)


def _numbered(membership: Membership) -> Membership:
    """Number communities by their first node, without the small ones."""
    _, first, inverse, sizes = np.unique(membership, return_index=True, return_inverse=True, return_counts=True)
    kept = np.flatnonzero(sizes >= _FEWEST_MEMBERS)
    numbers = np.full(len(sizes), -1, dtype=np.int64)
    numbers[kept[np.argsort(first[kept])]] = np.arange(len(kept))
    return numbers[inverse]
