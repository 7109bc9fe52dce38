"""A level of communities: what is central in each, as numbers of entities, relations, sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.config import CommunitiesConfig
from graphrag_tasks.graph.communities.ranking import Rows, best_of_groups
from graphrag_tasks.graph.communities.source import Source, Statements

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

    Attributes:
        membership: Community of each entity; -1 for none.
        centrality: Weight of each entity's relations inside its community.
        members: Entities, the most central first.
        relations: Relations inside the community, the most telling first.
        sentences: Sentences, those that state most of it first.
    """

    membership: Membership
    centrality: NDArray[np.float64]
    members: Ranked
    relations: Ranked
    sentences: Ranked

    def __len__(self) -> int:
        return len(self.members.starts) - 1


def rank(source: Source, membership: Membership, config: CommunitiesConfig) -> Level:
    """Rank entities, relations and sentences inside the communities of a level.

    A relation describes its community better if it is strong and its ends are central.

    Args:
        source: The graph.
        membership: Community of each entity.
        config: How many relations and sentences a summary may draw on.
    """
    heads, tails = source.ends[:, 0], source.ends[:, 1]
    inside = np.where(membership[heads] == membership[tails], membership[heads], -1)
    weights = np.where(inside >= 0, source.weights, 0.0)
    centrality = np.zeros(len(membership))
    for end in (heads, tails):
        centrality += np.bincount(end, weights, minlength=len(membership))
    telling = weights * np.sqrt(centrality[heads] * centrality[tails])
    entities = np.arange(len(membership))
    found = best_of_groups(membership, centrality, entities, count=len(membership))
    count = int(membership.max(initial=-1)) + 1
    relations = best_of_groups(inside, telling, np.arange(len(inside)), count=config.max_relations)
    sentences = _central(source.statements, inside, telling, config.max_sentences)
    return Level(
        membership,
        centrality,
        *(Ranked.of(*ranked, count) for ranked in (found, relations, sentences)),
    )


def _central(
    statements: Statements, inside: Rows, telling: NDArray[np.float64], count: int
) -> tuple[Rows, Rows]:
    """Return the sentences that state most of a community; equal texts count once."""
    proper = np.flatnonzero(inside[statements.relations] >= 0)
    relations = statements.relations[proper]
    texts = len(statements.texts)
    keys = inside[relations] * texts + statements.texts[proper]
    found, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    scores = np.bincount(inverse, telling[relations], minlength=len(found)).astype(np.float64)
    rows, groups = best_of_groups(
        found // max(texts, 1), scores, found % max(texts, 1), count=count
    )
    return statements.sentences[proper][first[rows]], groups
