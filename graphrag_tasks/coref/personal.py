"""Personal pronouns: "he" and "she" resolved to names, by a learned ranking of candidates."""

from __future__ import annotations

from dataclasses import dataclass

from graphrag_tasks.coref.chains import chain_features, weights_of
from graphrag_tasks.coref.features import candidates_of
from graphrag_tasks.coref.section import Pronoun, Section
from graphrag_tasks.coref.trees import Ranking, load_ranking


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
    weights = {
        pronoun: weights_of(each, [trees.alone.probability(one.values) for one in each])
        for pronoun, each in found.items()
    }
    choices = {}
    for pronoun, each in found.items():
        scored = [
            (trees.chained.probability({**one.values, **chain}), -one.entity)
            for one, chain in zip(each, chain_features(pronoun, each, weights), strict=True)
        ]
        if scored:
            probability, entity = max(scored)
            choices[pronoun] = Choice(-entity, probability)
    return choices
