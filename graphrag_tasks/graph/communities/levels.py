"""A level of communities, with its ranked entities, relations and sentences as row numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphrag_tasks.graph.communities.source import Source, Statements
from graphrag_tasks.graph.weights import Rows, Weights

if TYPE_CHECKING:
    from graphrag_tasks.graph.communities.partition import Membership


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
