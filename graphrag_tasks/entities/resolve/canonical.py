"""Canonical forms: what is left of a name after all steps of `forms`, each with its rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.language import forms

_Steps = Sequence[tuple[str, Callable[[str], str]]]


class CanonicalForms:
    """Canonical forms of names.

    Args:
        slips: The word meant by each slip of the pen.
        plurals: The singular of each plural of capitals.
    """

    def __init__(self, slips: Mapping[str, str], plurals: Mapping[str, str]) -> None:
        self._slips = pa.array(list(slips), pa.string())
        self._steps: _Steps = (
            ("brackets", forms.unbracketed),
            ("apostrophe", forms.straight),
            ("accents", forms.unaccented),
            ("spelling", forms.american),
            ("slip", forms.corrected(slips)),
            ("number", partial(forms.singular, plurals=plurals)),
            ("spacing", forms.joined),
        )

    def of(self, key: str) -> str:
        """Return what is left of a name after all steps."""
        return _after(self._steps, key)

    def of_all(self, keys: pa.Array[Any]) -> pa.Array[Any]:
        """Return what is left of each name; most are words that are only joined, in one go."""
        words = pc.split_pattern(keys, " ")
        is_slip = pc.is_in(words.flatten(), value_set=self._slips)
        changed = pc.match_substring_regex(keys, forms.JOINED_ONLY_WITHOUT).to_numpy(False)
        changed[pc.list_parent_indices(words).filter(is_slip)] = True
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
