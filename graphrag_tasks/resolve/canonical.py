"""Canonical forms: what is left of a name after all steps of `forms`, each with its rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial

from graphrag_tasks import forms

_NUMBER = "number"
_PLAIN = re.compile(r"[a-z]+(?: [a-z]+)*")
_MOST_KEPT = 1 << 17

_Steps = Sequence[tuple[str, Callable[[str], str]]]


class CanonicalForms:
    """Canonical forms of names.

    Most names are words in small letters. What becomes of such a word depends on nothing but
    whether it is the head noun, and few words make most names, so what became of words is kept.

    Args:
        slips: The word meant by each slip of the pen.
    """

    def __init__(self, slips: Mapping[str, str]) -> None:
        self._steps: _Steps = (
            ("brackets", forms.unbracketed),
            ("apostrophe", forms.straight),
            ("accents", forms.unaccented),
            ("spelling", forms.american),
            ("slip", forms.corrected(slips)),
            (_NUMBER, forms.singular),
            ("spacing", forms.joined),
        )
        for_words = [step for step in self._steps if step[0] != _NUMBER]
        self._word = lru_cache(_MOST_KEPT)(partial(_after, for_words))
        self._noun = lru_cache(_MOST_KEPT)(partial(_after, self._steps))

    def of(self, key: str) -> str:
        """Return what is left of a name after all steps."""
        if _PLAIN.fullmatch(key):
            head, of, rest = key.partition(" of ")
            *words, noun = head.split(" ")
            parts = [*map(self._word, words), self._noun(noun), of.strip()]
            form = "".join([*parts, *map(self._word, rest.split(" "))])
            if form.isalpha():  # what a slip means may hold more than letters
                return form
        return _after(self._steps, key)

    def needed(self, left: str, right: str) -> tuple[str, ...]:
        """Return the rules without which the forms of two names would differ."""
        needed = []
        for place, (rule, step) in enumerate(self._steps, 1):
            before = left, right
            left, right = step(left), step(right)
            others = self._steps[place:]
            if before != (left, right) and len({_after(others, one) for one in before}) > 1:
                needed.append(rule)
        return tuple(needed)


def _after(steps: _Steps, key: str) -> str:
    for _, step in steps:
        key = step(key)
    return key
