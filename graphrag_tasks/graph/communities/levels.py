"""A level of communities: what is central in each, as numbers of entities, relations, sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphrag_tasks.core.config import CommunitiesConfig
from graphrag_tasks.graph.communities.source import Source, Statements
from graphrag_tasks.graph.weights import Rows, Weights

if TYPE_CHECKING:
    from graphrag_tasks.graph.communities.partition import Membership


@dataclass(frozen=True)
class Ranked:
    """Rows by community, best first, and where each community's rows begin and the last ends."""

    rows: Rows
    starts: Rows

    @classmethod
    def of(cls, rows: Rows, groups: Rows, count: int) -> Ranked:
        """Take rows that are sorted by group, of `count` groups."""
        return cls(rows, np.searchsorted(groups, np.arange(count + 1)))

    def part(self, first: int, last: int) -> Ranked:
        """Return the rows of the communities from `first` to before `last`."""
        starts = self.starts[first : last + 1]
        return Ranked(self.rows[starts[0] : starts[-1]], starts - starts[0])

    def best(self, count: int) -> Ranked:
        """Return the first rows of each community."""
        sizes = np.diff(self.starts)
        place = np.arange(len(self.rows)) - np.repeat(self.starts[:-1], sizes)
        return Ranked(
            self.rows[place < count], np.concatenate([[0], np.cumsum(np.minimum(sizes, count))])
        )


@dataclass(frozen=True)
class Level:
    """One level's communities and the best rows of each.

    `membership` is the community of each entity or -1, `centrality` the weight of an entity's
    relations inside its community. All members are ranked, but only the relations and sentences
    that a summary may draw on.
    """

    membership: Membership
    centrality: Weights
    members: Ranked
    relations: Ranked
    sentences: Ranked

    def __len__(self) -> int:
        return len(self.members.starts) - 1


def rank(source: Source, membership: Membership, config: CommunitiesConfig) -> Level:
    """Rank entities, relations and sentences inside the communities of a level.

    A relation describes its community better if it is strong and its ends are central.
    """
    heads, tails = source.ends[:, 0], source.ends[:, 1]
    inside = np.where(membership[heads] == membership[tails], membership[heads], -1)
    weights = np.where(inside >= 0, source.weights, 0.0)
    centrality = np.zeros(len(membership))
    for end in (heads, tails):
        centrality += np.bincount(end, weights, minlength=len(membership))
    telling = weights * np.sqrt(centrality[heads] * centrality[tails])
    found = (
        _best_of_groups(membership, centrality, len(membership)),
        _best_of_groups(inside, telling, config.max_relations),
        _central(source.statements, inside, telling, config.max_sentences),
    )
    count = int(membership.max(initial=-1)) + 1
    return Level(membership, centrality, *(Ranked.of(*ranked, count) for ranked in found))


def _best_of_groups(groups: Rows, scores: Weights, count: int) -> tuple[Rows, Rows]:
    """Return the rows with the highest scores of each group, and the group of each.

    They are sorted by group, best first, ties in order of rows; rows of negative groups are left
    out.
    """
    grouped = np.flatnonzero(groups >= 0)
    ranked = grouped[np.lexsort((-scores[grouped], groups[grouped]))]  # a stable sort
    sorted_groups = groups[ranked]
    starts = np.flatnonzero(np.diff(sorted_groups, prepend=-1))
    place = np.arange(len(ranked)) - np.repeat(starts, np.diff(starts, append=len(ranked)))
    kept = place < count
    return ranked[kept], sorted_groups[kept]


def _central(
    statements: Statements, inside: Rows, telling: Weights, count: int
) -> tuple[Rows, Rows]:
    """Return the sentences that state most of a community; equal texts count once."""
    proper = np.flatnonzero(inside[statements.relations] >= 0)
    relations = statements.relations[proper]
    texts = max(len(statements.texts), 1)
    keys = inside[relations] * texts + statements.texts[proper]
    found, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    scores = np.bincount(inverse, telling[relations], minlength=len(found)).astype(np.float64)
    rows, groups = _best_of_groups(found // texts, scores, count)
    return statements.sentences[proper][first[rows]], groups
