"""Leiden communities at several resolutions, each level nested in the level above.

Source of the algorithm: Traag, Waltman and van Eck, "From Louvain to Leiden" (2019), as igraph implements it, with
modularity as the objective.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import igraph
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag_tasks.graph.weights import FACT, Rows, Weights, relation_weights
from graphrag_tasks.storage.sql import Connection, statements

COLUMNS: Mapping[str, list[str]] = {
    "documents": ["document_id", "title"],
    "sentences": ["sentence_id", "document_id", "chunk_id", "text", "page"],
    "entities": ["entity_id", "name"],
    "relations": ["relation_id", "head_id", "relation", "tail_id", "phrase", "kind", "weight", "confidence"],
    "evidence": ["relation_id", "sentence_id"],
    "mentions": ["entity_id", "chunk_id"],
    "chunks": ["chunk_id", "document_id", "heading_path"],
}
"""Columns that the stage reads from each table."""

_TOGETHER = 3.0  # Weight of standing in a section, against that of a relation; chosen by reading.

_LONGEST_SENTENCE = 400  # Longest quoted sentence in characters; longer ones are lists and tables without line breaks.

_LONGEST_HEADING, _FEW_WORDS = 80, 4  # Characters of a heading that can be a name; words of one that says little.
_NUMBERING = r"^([A-Z]\.)?[0-9]+(\.[0-9]+)*[.)]?\s+"  # "1.2 ", "3. " or "A.1 " before a heading.

_SQL = statements(
    __package__,
    "source.sql",
    longest_sentence=_LONGEST_SENTENCE,
    longest_heading=_LONGEST_HEADING,
    few_words=_FEW_WORDS,
    numbering=_NUMBERING,
    fact=FACT,
)


@dataclass(frozen=True)
class Statements:
    """Which sentences state which relations, each pair once, sorted by relation and sentence.

    Sentences with equal texts share a number in `texts`, by first appearance; `sections` are the sentences' sections.
    """

    relations: NDArray[np.int32]
    sentences: NDArray[np.int32]
    texts: Rows
    sections: NDArray[np.int32]


class Source:
    """The graph of a corpus; entities, relations and sentences are numbered by id.

    `places` are edges from entities to the section that names each most, so that what stands under one heading is one
    topic. Their second ends are numbered after the entities.

    The connection knows the tables of `COLUMNS`, and must stay open.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        for name in ("thing", "tie", "section", "mentioned", "standing", "quotable"):
            connection.execute(_SQL[name])
        ids = connection.sql("SELECT entity_id FROM thing ORDER BY entity").to_arrow_table()
        self.entity_ids: pa.Array[Any] = ids["entity_id"].combine_chunks()
        ties = connection.sql(_SQL["ties"]).fetchnumpy()
        self.ends = np.column_stack([ties["head"], ties["tail"]]).astype(np.int64)
        self.weights = relation_weights(ties["weight"], ties["confidence"], self.ends, entities=len(self.entity_ids))
        places = connection.sql(_SQL["places"]).fetchnumpy()
        self.places = np.column_stack([places["entity"], places["section"] + len(ids)]).astype(np.int64)
        self.place_weights: Weights = _TOGETHER * places["weight"]
        stated = connection.sql(_SQL["stated"]).fetchnumpy()
        self.sections = int(stated["section"].max(initial=places["section"].max(initial=-1))) + 1
        first_stated = np.empty(int(stated["text"].max(initial=-1)) + 1, np.int64)
        backwards = stated["text"][::-1]
        first_stated[backwards] = np.arange(len(backwards))[::-1]  # the last of equals stays
        texts = first_stated[stated["text"]]
        self.is_fact: NDArray[np.bool_] = ties["is_fact"]
        self.statements = Statements(stated["relation"], stated["sentence"], texts, stated["section"])

    def headings(self, memberships: Sequence[Rows]) -> Iterator[tuple[int, int, str, bool]]:
        """Yield level, community, the heading that fits it best, and whether that is mostly about it.

        `memberships` has the community of each entity, or -1, by level.
        """
        inside = [np.flatnonzero(membership >= 0) for membership in memberships]
        member = pa.table(
            {
                "level": np.repeat(np.arange(len(inside)), [len(one) for one in inside]),
                "community": np.concatenate([one[rows] for one, rows in zip(memberships, inside, strict=True)]),
                "entity": np.concatenate(inside),
            }
        )
        self._connection.register("member", member)
        yield from self._connection.sql(_SQL["headings"]).fetchall()

    def telling(self, entities: Rows) -> NDArray[np.float64]:
        """Return how much entities say as names: mentioned often, and in few sections."""
        self._choose(entities)
        found = self._connection.sql(_SQL["telling"]).fetchnumpy()["telling"]
        return np.asarray(found, np.float64)

    def texts(self, kind: Literal["names", "wordings", "quotations"], numbers: Rows) -> list[Any]:
        """Return names of entities, wordings of relations, or quotations of sentences, by number.

        A wording maps `head`, `relation`, `phrase` and `tail`; a quotation `text`, the document's `title`, and `page`.
        """
        self._choose(numbers)
        found: list[Any] = self._connection.sql(_SQL[kind]).to_arrow_table().column(0).to_pylist()
        return found

    def _choose(self, numbers: Rows) -> None:
        places = pa.array(np.arange(len(numbers)))
        self._connection.register("chosen", pa.table({"place": places, "number": numbers}))


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
    sentences = _ranked_sentences(source, membership, inside, telling, count)
    return Level(membership, centrality, members, relations, sentences.best(_MOST_SENTENCES))


def _ranked_sentences(source: Source, membership: Membership, inside: Rows, telling: Weights, count: int) -> Ranked:
    """Rank the sentences of each community by the relations they state; equal texts count once.

    Those of the sections that the community's members mostly stand in come first.
    """
    statements, (entities, sections) = source.statements, source.places.T
    proper = np.flatnonzero(inside[statements.relations] >= 0)
    relations = statements.relations[proper]
    texts = max(len(statements.texts), 1)
    keys = inside[relations] * texts + statements.texts[proper]
    found, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    scores = np.bincount(inverse, telling[relations], minlength=len(found)).astype(np.float64)
    groups = found // texts
    cells = membership[entities] * source.sections + sections - len(membership)
    proper_cells = groups * source.sections + statements.sections[proper][first]
    _, places = np.unique(np.concatenate([proper_cells, cells]), return_inverse=True)
    share = 0.01 + np.bincount(places[len(groups) :], source.place_weights, len(places))[places[: len(groups)]]
    ranked = Ranked.of(groups, scores * share, count)
    return Ranked(statements.sentences[proper][first[ranked.rows]], ranked.starts)


Membership = NDArray[np.int64]  # Community of each node at one level; -1 for nodes in none.

_ITERATIONS = 2  # Leiden iterations. Ten take four times as long and raise modularity by .002.
_FEWEST_MEMBERS = 3  # Smaller communities are left out: a pair is told by its relation.
_SEED = 0  # Of the algorithm's random moves; any number does.


def partition(
    nodes: int, ends: Rows, weights: Weights,
    *, resolutions: Sequence[float], proper: int | None = None,
) -> list[Membership]:  # fmt: skip
    """Return the communities of an undirected graph at each of the increasing resolutions.

    Edges between communities are dropped at the levels below, so every community lies inside one parent. The result
    depends on the numbering of the nodes, not on the order or direction of the edges: `ends`, of shape (edges, 2), and
    their positive weights. Parallel edges add up, loops do not count. Communities are numbered by their first node;
    small ones are left out. Nodes from `proper` on only join others.
    """
    ends, weights = simple(ends, weights, nodes)
    near = _near_neighbours(ends)
    ends, weights = _renumbered(ends, weights, near, nodes)
    levels: list[Membership] = []
    for resolution in resolutions:
        membership = _leiden(len(near), ends, weights, resolution)
        of_all = np.arange(len(near), len(near) + nodes)  # nodes without an edge are alone
        of_all[near] = membership
        levels.append(_numbered(of_all[:proper]))
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
    from scipy.sparse import coo_array, csgraph  # not at the top: pages are served without SciPy

    def matrix(heads: Rows, tails: Rows, count: int) -> Any:  # noqa: ANN401 - SciPy has no types
        return coo_array((np.ones(len(heads), np.bool_), (heads, tails)), shape=(count, count)).tocsr()

    found, places = np.unique(ends, return_inverse=True)
    if not len(found):
        return found
    heads, tails = places.reshape(-1, 2).T
    count = len(found)
    _, components = csgraph.connected_components(matrix(heads, tails, count), directed=False)
    _, firsts = np.unique(components, return_index=True)
    root = np.full(len(firsts), count)  # one more node, from which the search begins
    whole = matrix(np.append(heads, root), np.append(tails, firsts), count + 1)
    order = csgraph.breadth_first_order(whole, count, directed=False, return_predecessors=False)
    near: Rows = found[order[1:]]
    return near


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
