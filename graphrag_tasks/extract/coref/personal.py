"""Personal pronouns: "he" and "she" resolved to names, by a learned ranking of candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphrag_tasks.extract.coref.chains import Weights, chain_features, weights_of
from graphrag_tasks.extract.coref.features import Candidate, candidates_of
from graphrag_tasks.extract.coref.section import Pronoun, Section
from graphrag_tasks.extract.coref.trees import Ranking, Trees, load_ranking


@dataclass(frozen=True, slots=True)
class Choice:
    """The antecedent chosen for a pronoun.

    Attributes:
        entity: Its number in `Section.entities`.
        probability: How sure the ranking is of it.
    """

    entity: int
    probability: float


def rank_antecedents(section: Section, ranking: Ranking | None = None) -> dict[Pronoun, Choice]:
    """Choose the likeliest antecedent of each personal pronoun.

    Args:
        section: The text.
        ranking: What to rank by; by default what comes with the package.

    Returns:
        One choice for each pronoun of `Section.pronouns` that has a candidate at all. Where two
        are equally likely, the entity that was mentioned first wins.
    """
    trees = ranking or load_ranking()
    found = {pronoun: candidates_of(section, pronoun) for pronoun in section.pronouns}
    weights = first_pass(found, trees.alone)
    choices = {}
    for pronoun, each in found.items():
        chains = chain_features(pronoun, each, weights)
        rows = [{**one.values, **chain} for one, chain in zip(each, chains, strict=True)]
        chances = trees.chained.probabilities(rows)
        scored = [(p, -one.entity) for p, one in zip(chances, each, strict=True)]
        if scored:
            probability, entity = max(scored)
            choices[pronoun] = Choice(-entity, probability)
    return choices


def first_pass(
    found: Mapping[Pronoun, Sequence[Candidate]], alone: Trees
) -> dict[Pronoun, Weights]:
    """Return how each pronoun by itself spreads its weight over its candidates."""
    return {
        pronoun: weights_of(each, alone.probabilities([one.values for one in each]))
        for pronoun, each in found.items()
    }
