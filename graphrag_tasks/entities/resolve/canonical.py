"""Canonical forms of names: the steps of `forms`, and the rule of each step that changed a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.language import forms

_Steps = Sequence[tuple[str, Callable[[str], str]]]


class CanonicalForms:
    """Canonical forms of names, by the plurals of abbreviations."""

    def __init__(self, plurals: Mapping[str, str]) -> None:
        self._steps: _Steps = (
            ("brackets", forms.unbracketed),
            ("apostrophe", forms.straight),
            ("accents", forms.unaccented),
            ("spelling", forms.american),
            ("number", partial(forms.singular, plurals=plurals)),
            ("spacing", forms.joined),
        )

    def of(self, key: str) -> str:
        """Return the canonical form of a name; a call in code stays as it is."""
        return key if forms.is_call(key) else _after(self._steps, key)

    def of_all(self, keys: pa.Array[Any]) -> pa.Array[Any]:
        """Return the canonical form of each name; most only join their words, done in bulk."""
        changed = pc.match_substring_regex(keys, forms.JOINED_ONLY_WITHOUT)
        others = pa.array(map(self.of, keys.filter(changed).to_pylist()), pa.string())
        return pc.replace_with_mask(pc.replace_substring(keys, " ", ""), changed, others)

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
