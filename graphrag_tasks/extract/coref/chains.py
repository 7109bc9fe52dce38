"""What the other pronouns of the text say about a candidate: "his" in "John ... he ... his".

Every pronoun first spreads a weight of one over its candidates (the first pass of the ranking).
A candidate that holds the weight of its neighbours of the same gender is likely theirs, and one
that holds the weight of the other gender is likely not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from graphrag_tasks.extract.coref.features import Candidate, leads
from graphrag_tasks.extract.coref.roles import Role
from graphrag_tasks.extract.coref.section import Pronoun

_LEAST_TOTAL = 0.7
"""A pronoun whose probabilities sum to less may stand for something else: it keeps the rest."""

Weights = Mapping[int, float]
"""Weight that one pronoun gives to entities, by their numbers."""


def weights_of(found: Sequence[Candidate], probabilities: Sequence[float]) -> Weights:
    """Return how a pronoun's weight of one is spread over its candidates."""
    total = max(sum(probabilities), _LEAST_TOTAL)
    return {one.entity: p / total for one, p in zip(found, probabilities, strict=True)}


def chain_features(
    pronoun: Pronoun, found: Sequence[Candidate], weights: Mapping[Pronoun, Weights]
) -> list[dict[str, float]]:
    """Return for each candidate of a pronoun what the weights of the other pronouns say."""
    same = [one for one in weights if one != pronoun and one.gender == pronoun.gender]
    opposite = [one for one in weights if one.gender != pronoun.gender]
    last, following = _neighbours(pronoun, same)
    last_opposite, _ = _neighbours(pronoun, opposite)
    previous = [one for one in same if one.sentence == pronoun.sentence - 1]
    shared = _near(pronoun, last, following) | {
        "same_gender_pronouns": float(len(same)),
        "opposite_pronouns": float(len(opposite)),
    }
    totals = [sum(weights[one].get(each.entity, 0.0) for one in same) for each in found]
    rows = []
    for candidate, total, lead in zip(found, totals, leads(totals), strict=True):

        def held(one: Pronoun | None, entity: int = candidate.entity) -> float:
            return weights[one].get(entity, 0.0) if one else -1.0

        rows.append(
            shared
            | {
                "same_gender_weight": total,
                "same_gender_weight_lead": lead,
                "opposite_weight": sum(map(held, opposite)),
                "last_weight": held(last),
                "next_weight": held(following),
                "last_opposite_weight": held(last_opposite),
                "previous_sentence_weight": sum(map(held, previous)),
            }
        )
    return rows


def _neighbours(
    pronoun: Pronoun, others: Sequence[Pronoun]
) -> tuple[Pronoun | None, Pronoun | None]:
    """Return the last of the others before the pronoun, and the first one after it."""
    before = [one for one in others if one.offset < pronoun.offset]
    after = [one for one in others if one.offset > pronoun.offset]
    return max(before, key=_offset, default=None), min(after, key=_offset, default=None)


def _offset(pronoun: Pronoun) -> int:
    return pronoun.offset


def _near(pronoun: Pronoun, last: Pronoun | None, following: Pronoun | None) -> dict[str, float]:
    place = (pronoun.sentence, pronoun.clause)
    return {
        "last_log_tokens": math.log1p(pronoun.offset - last.offset) if last else 9.0,
        "next_log_tokens": math.log1p(following.offset - pronoun.offset) if following else 9.0,
        "last_is_subject": float(last.role == Role.SUBJECT) if last else -1.0,
        "last_in_clause": float((last.sentence, last.clause) == place) if last else -1.0,
    }
