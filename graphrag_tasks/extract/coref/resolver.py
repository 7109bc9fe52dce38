"""The built-in resolver: persons by the learned ranking, things by rules.

The ranking compares each pronoun with each name and each other pronoun, so persons are looked for
in windows: time then grows linearly with the text. It was learned on texts of 90 words, and its
features (ranks, counts, shares) mean most in texts of that size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from graphrag_tasks.extract.coref.parses import Parse
from graphrag_tasks.extract.coref.protocol import Coreference, Kind, Passage
from graphrag_tasks.extract.coref.ranking import rank_antecedents
from graphrag_tasks.extract.coref.section import Section
from graphrag_tasks.extract.coref.things import resolve_things
from graphrag_tasks.language.gender import gender_of_pronoun

RANKING = "ranking"
"""Name of the rule that resolves "he" and "she"; its confidence is the ranking's probability."""
OWN_TOKENS = 150
"""Tokens that fill a window; the sentence that reaches them belongs to it."""
CONTEXT_TOKENS = 150
"""Tokens before a window that are looked at, rounded up to a whole sentence."""


class RankingResolver:
    """Resolves pronouns and definite mentions without a language model."""

    name = "ranking"
    fingerprint = "ranking"  # rules and weights count as code

    def resolve(self, passage: Passage) -> list[Coreference]:
        """Return what was resolved, in the order of the text; see `CoreferenceResolver`."""
        found = [*_persons(passage), *resolve_things(passage)]
        return sorted(found, key=lambda one: (one.sentence, one.start))


def _persons(passage: Passage) -> Iterator[Coreference]:
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
            yield passage.resolved(
                mention, antecedent, kind=Kind.PRONOUN, rule=RANKING, confidence=choice.probability
            )


class Window(NamedTuple):
    """Sentences `start` to before `end`; antecedents are looked for from `context` on."""

    context: int
    start: int
    end: int


def windows(parses: Sequence[Parse]) -> Iterator[Window]:
    """Yield the windows of a passage that have a "he" or "she", in order."""
    begins = [0, *accumulate(map(len, parses))]
    context = start = 0
    for end in range(1, len(parses) + 1):
        if end < len(parses) and begins[end] - begins[start] < OWN_TOKENS:
            continue
        while begins[start] - begins[context + 1] >= CONTEXT_TOKENS:
            context += 1
        if any(gender_of_pronoun(word) for one in parses[start:end] for word in one.words):
            yield Window(context, start, end)
        start = end
