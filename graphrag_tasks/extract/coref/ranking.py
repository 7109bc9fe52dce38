"""Resolution: persons by a learned ranking in two passes, things by rules.

In the first pass each pronoun distributes a weight of 1 over its candidates. The second pass uses the weights of the
other pronouns: a candidate with much weight from neighbours of the same gender is a likely antecedent ("his" in "John
... he ... his"), one with weight of the other gender is not.

Each pronoun is compared with each name and each other pronoun, so persons are searched in windows, which keeps time
linear. The ranking was learned on texts of 90 words, and its features (ranks, counts, shares) mean most in texts of
that size.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from itertools import accumulate, islice
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import numpy as np

from graphrag_tasks.core.forest import Forest
from graphrag_tasks.extract.coref.features import Candidate, Values, candidates_in, leads
from graphrag_tasks.extract.coref.protocol import Coreference, CorefText, Kind, Parse, Role
from graphrag_tasks.extract.coref.section import Pronoun, Section
from graphrag_tasks.extract.coref.things import resolve_things
from graphrag_tasks.language.dictionary import gender_of_pronoun

RANKING = "ranking"  # Rule name for "he" and "she"; its confidence is the ranking's probability.
OWN_TOKENS = 150  # Tokens of a window; the sentence that reaches this number belongs to it.
CONTEXT_TOKENS = 150  # Context tokens before a window, rounded up to a whole sentence.
DECIMALS = 5  # Decimals of a leaf's value.
_LEAST_TOTAL = 0.7  # A pronoun whose probabilities sum to less may refer to something else, which keeps the rest.

Weights = Mapping[int, float]  # Weight of a pronoun for each entity, by entity index.
Tree = float | Sequence[Any]


def resolve(passage: CorefText) -> list[Coreference]:
    """Return a passage's resolved mentions, each at most once, in text order."""
    found = [*_persons(passage), *resolve_things(passage)]
    return sorted(found, key=lambda coreference: (coreference.sentence, coreference.start))


def _persons(passage: CorefText) -> Iterator[Coreference]:
    for window in windows(passage.parses):
        section = Section(passage.parses[window.context : window.end], passage.title)
        for pronoun, choice in rank_antecedents(section).items():
            number = window.context + pronoun.sentence
            if number < window.start:
                continue
            # The fullest name joins nodes best; where the anchor is shorter it is the same person.
            name = section.entities[choice.entity].longest
            mention = (number, pronoun.token, pronoun.token + 1)
            antecedent = (window.context + name.sentence, name.start, name.end)
            yield passage.resolved(mention, antecedent, kind=Kind.PRONOUN, rule=RANKING, confidence=choice.probability)


class Window(NamedTuple):
    """Sentences from `start` to before `end`; antecedents are searched from `context` on."""

    context: int
    start: int
    end: int


def windows(parses: Sequence[Parse]) -> Iterator[Window]:
    """Yield the windows of a passage that contain "he" or "she", in order."""
    begins = [0, *accumulate(map(len, parses))]
    context = start = 0
    for end in range(1, len(parses) + 1):
        if end < len(parses) and begins[end] - begins[start] < OWN_TOKENS:
            continue
        while begins[start] - begins[context + 1] >= CONTEXT_TOKENS:
            context += 1
        if any(gender_of_pronoun(word) for parse in parses[start:end] for word in parse.words):
            yield Window(context, start, end)
        start = end


@dataclass(frozen=True)
class Trees:
    """A sum of decision trees, as `core.forest` reads them; its logistic is a probability.

    Nodes refer to `features` by index.
    """

    features: Sequence[str]
    trees: Sequence[Tree]

    def probabilities(self, rows: Sequence[Mapping[str, float]]) -> list[float]:
        """Return the probability of each row, independent of the other rows."""
        if not rows:
            return []
        table = np.array(list(map(itemgetter(*self.features), rows)), dtype=float)
        table = table.reshape(len(rows), len(self.features))
        # Whole numbers are added without error; sums of others depend on the array's layout.
        whole = np.rint(self._forest.values(table) * 10.0**DECIMALS).sum(axis=0)
        return [1.0 / (1.0 + math.exp(-score)) for score in (whole / 10.0**DECIMALS).tolist()]

    @cached_property
    def _forest(self) -> Forest:
        return Forest.from_json(self.to_json(), np.float64)

    def to_json(self) -> dict[str, Any]:
        """Return the content of a model file; `Trees(**content)` reads it."""
        return {"features": self.features, "trees": self.trees}


class Ranking(NamedTuple):
    """The trees of both passes."""

    alone: Trees
    chained: Trees


@functools.cache
def load_ranking() -> Ranking:
    """Load the packaged ranking; `benchmarks/training/coref.py` writes it."""
    file = resources.files(__package__) / "ranking.json"
    data = json.loads(file.read_text("utf-8"))
    return Ranking(Trees(**data["alone"]), Trees(**data["chained"]))


class Choice(NamedTuple):
    """The chosen antecedent of a pronoun: its index in `Section.entities`, and its probability."""

    entity: int
    probability: float


def rank_antecedents(section: Section, ranking: Ranking | None = None) -> dict[Pronoun, Choice]:
    """Return the likeliest antecedent of each personal pronoun with a candidate.

    Of equally likely entities, the one mentioned first wins. The default ranking is the packaged one.
    """
    trees = ranking or load_ranking()
    found = candidates_in(section)
    weights = first_pass(found, trees.alone)
    rows = {
        pronoun: [
            candidate.values | chain
            for candidate, chain in zip(each, chain_features(pronoun, each, weights), strict=True)
        ]
        for pronoun, each in found.items()
        if each
    }
    choices = {}
    for pronoun, chances in _chances(rows, trees.chained).items():
        scored = zip(chances, (-candidate.entity for candidate in found[pronoun]), strict=True)
        probability, entity = max(scored)
        choices[pronoun] = Choice(-entity, probability)
    return choices


def first_pass(found: Mapping[Pronoun, Sequence[Candidate]], alone: Trees) -> dict[Pronoun, Weights]:
    """Return the first-pass weights of each pronoun for its candidates."""
    rows = {pronoun: [candidate.values for candidate in each] for pronoun, each in found.items()}
    chances = _chances(rows, alone)
    return {pronoun: weights_of(each, chances[pronoun]) for pronoun, each in found.items()}


def _chances(rows: Mapping[Pronoun, Sequence[Values]], trees: Trees) -> dict[Pronoun, list[float]]:
    """Return the probabilities of each pronoun's rows: one call for all, which takes a third."""
    chances = iter(trees.probabilities([row for each in rows.values() for row in each]))
    return {pronoun: list(islice(chances, len(each))) for pronoun, each in rows.items()}


def weights_of(found: Sequence[Candidate], probabilities: Sequence[float]) -> Weights:
    """Normalize probabilities to weights that sum to at most 1."""
    total = max(sum(probabilities), _LEAST_TOTAL)
    return {candidate.entity: p / total for candidate, p in zip(found, probabilities, strict=True)}


def chain_features(
    pronoun: Pronoun, found: Sequence[Candidate], weights: Mapping[Pronoun, Weights]
) -> list[dict[str, float]]:
    """Return second-pass features of each candidate, from the other pronouns' weights."""
    same = [weight for weight in weights if weight != pronoun and weight.gender == pronoun.gender]
    opposite = [weight for weight in weights if weight.gender != pronoun.gender]
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

        of_candidate = {
            "same_gender_weight": total,
            "same_gender_weight_lead": lead,
            "opposite_weight": sum(map(held, opposite)),
            "last_weight": held(last),
            "next_weight": held(following),
            "last_opposite_weight": held(last_opposite),
            "previous_sentence_weight": sum(map(held, previous)),
        }
        rows.append(shared | of_candidate)
    return rows


def _neighbours(pronoun: Pronoun, others: Sequence[Pronoun]) -> tuple[Pronoun | None, Pronoun | None]:
    """Return the last pronoun before this one, and the first after it."""
    offset = attrgetter("offset")
    before = [other for other in others if other.offset < pronoun.offset]
    after = [other for other in others if other.offset > pronoun.offset]
    return max(before, key=offset, default=None), min(after, key=offset, default=None)


def _near(pronoun: Pronoun, last: Pronoun | None, following: Pronoun | None) -> dict[str, float]:
    place = (pronoun.sentence, pronoun.clause)
    return {
        "last_log_tokens": math.log1p(pronoun.offset - last.offset) if last else 9.0,
        "next_log_tokens": math.log1p(following.offset - pronoun.offset) if following else 9.0,
        "last_is_subject": float(last.role == Role.SUBJECT) if last else -1.0,
        "last_in_clause": float((last.sentence, last.clause) == place) if last else -1.0,
    }
