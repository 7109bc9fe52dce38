"""Leiden communities at several resolutions, each level nested in the level above.

Source of the algorithm: Traag, Waltman and van Eck, "From Louvain to Leiden" (2019), as igraph implements it, with
modularity as the objective.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import igraph
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from graphrag_tasks.graph.communities.source import Source, Statements
from graphrag_tasks.graph.weights import Rows, Weights

_MOST_RELATIONS, _MOST_SENTENCES = 6, 3
"""Relations that a summary is made from, and sentences that it quotes; chosen by reading."""


@dataclass(frozen=True)
class Ranked:
    """Rows by community, best first; `starts` holds each community's first row and the end."""

    rows: Rows
    starts: Rows

    @classmethod
    def of(cls, groups: Rows, scores: Weights, count: int) -> Ranked:
        """Rank rows by score, ties by row; rows of negative groups are left out.

        Groups are numbered from 0 to below `count`.
        """
        grouped = np.flatnonzero(groups >= 0)
        rows = grouped[np.lexsort((-scores[grouped], groups[grouped]))]  # a stable sort
        return cls(rows, np.searchsorted(groups[rows], np.arange(count + 1)))

    def part(self, first: int, last: int) -> Ranked:
        """Return the rows of the communities in `range(first, last)`."""
        starts = self.starts[first : last + 1]
        return Ranked(self.rows[starts[0] : starts[-1]], starts - starts[0])

    def best(self, count: int) -> Ranked:
        """Return the first `count` rows of each community."""
        sizes = np.diff(self.starts)
        place = np.arange(len(self.rows)) - np.repeat(self.starts[:-1], sizes)
        starts = np.concatenate([[0], np.cumsum(np.minimum(sizes, count))])
        return Ranked(self.rows[place < count], starts)


@dataclass(frozen=True)
class Level:
    """The communities of one level, and the best rows of each.

    `membership` is the community of each entity or -1, `centrality` the total weight of an entity's relations inside
    its community. All members are ranked, but only the relations and sentences that a summary may use.
    """

    membership: Membership
    centrality: Weights
    members: Ranked
    relations: Ranked
    sentences: Ranked

    def __len__(self) -> int:
        return len(self.members.starts) - 1


def rank(source: Source, membership: Membership) -> Level:
    """Rank entities, relations and sentences inside the communities of a level.

    A relation ranks high if it is strong and its ends are central.
    """
    heads, tails = source.ends[:, 0], source.ends[:, 1]
    inside = np.where(membership[heads] == membership[tails], membership[heads], -1)
    weights = np.where(inside >= 0, source.weights, 0.0)
    centrality = np.zeros(len(membership))
    for end in (heads, tails):
        centrality += np.bincount(end, weights, minlength=len(membership))
    telling = weights * np.sqrt(centrality[heads] * centrality[tails])
    count = int(membership.max(initial=-1)) + 1
    members = Ranked.of(membership, centrality, count)
    told = np.where(source.is_fact, inside, -1)
    relations = Ranked.of(told, telling, count).best(_MOST_RELATIONS)
    sentences = _ranked_sentences(source.statements, inside, telling, count)
    return Level(membership, centrality, members, relations, sentences.best(_MOST_SENTENCES))


def _ranked_sentences(statements: Statements, inside: Rows, telling: Weights, count: int) -> Ranked:
    """Rank the sentences of each community by the relations they state; equal texts count once.

    The best of each document come first, so that several documents are quoted.
    """
    proper = np.flatnonzero(inside[statements.relations] >= 0)
    relations = statements.relations[proper]
    texts = max(len(statements.texts), 1)
    keys = inside[relations] * texts + statements.texts[proper]
    found, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    scores = np.bincount(inverse, telling[relations], minlength=len(found)).astype(np.float64)
    groups = found // texts
    ranked = Ranked.of(groups, scores, count)
    rows, documents = ranked.rows, statements.documents[proper][first]
    is_later = np.ones(len(rows), dtype=bool)
    _, best = np.unique(np.column_stack([groups[rows], documents[rows]]), axis=0, return_index=True)
    is_later[best] = False
    rows = rows[np.lexsort((is_later, groups[rows]))]
    return Ranked(statements.sentences[proper][first[rows]], ranked.starts)


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
