"""Stretches of a passage in which persons are looked for, so that time grows with the text.

The ranking compares each pronoun with each name and with each other pronoun. It was learned on
texts of 90 words, and its features (ranks, counts, shares) mean most in texts of that size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from graphrag_tasks.extract.coref.parses import Parse
from graphrag_tasks.language.gender import gender_of_pronoun

OWN_TOKENS = 150
"""Tokens from which on a window is full; the sentence that fills it belongs to it."""
CONTEXT_TOKENS = 150
"""Tokens before a window that are looked at, rounded up to a whole sentence."""


class Window(NamedTuple):
    """Sentences of a passage, by number.

    Attributes:
        context: First sentence in which antecedents are looked for.
        start: First sentence whose pronouns are resolved.
        end: One past the last one.
    """

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
