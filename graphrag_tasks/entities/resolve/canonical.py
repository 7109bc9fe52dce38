"""Canonical forms of names: the steps of `forms`, and the rule of each step that changed a name.

One step mends typing errors: rare words one edit away from a word that is frequent in the corpus.
Only a letter left out, doubled or inserted, or two letters exchanged, is an error; a substituted
letter is none, as different words differ that way ("content", "context"). A dictionary word is
never an error.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.language import forms

_Steps = Sequence[tuple[str, Callable[[str], str]]]

_SHORTEST = 7
_RAREST = 3
_TIMES_AS_OFTEN = 4
"""Fewest letters and most uses of a typing error, and how many times as frequent the intended
word is. Chosen, not measured."""


class CanonicalForms:
    """Canonical forms of names, by corrections of typing errors and plurals of abbreviations."""

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
        """Return the canonical form of a name; a call in code stays as it is."""
        return key if forms.is_call(key) else _after(self._steps, key)

    def of_all(self, keys: pa.Array[Any]) -> pa.Array[Any]:
        """Return the canonical form of each name; most only join their words, done in bulk."""
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


def words_of(names: Iterable[str]) -> Iterator[str]:
    """Yield the words of names in small letters, except first words that may be names themselves.

    A first word written with a capital may be a name, so it is no misspelled common word.
    """
    small = []
    for name in names:
        if name.isascii() and name.islower():  # most are
            small.append(name)
            continue
        for word in forms.WORD.findall(name):
            if word.islower() or not name.startswith(word):
                yield word.lower()
    yield from forms.WORD.findall("\n".join(small))


def find_slips(counts: Mapping[str, int], is_known: Callable[[str], bool]) -> dict[str, str]:
    """Return the intended frequent word of each misspelled rare word, where exactly one fits.

    Args:
        counts: Frequency of each word in names, in small letters.
        is_known: Whether a word is in the dictionary.
    """
    frequent: dict[str, list[str]] = defaultdict(list)
    for word, count in counts.items():
        if count >= _TIMES_AS_OFTEN and len(word) >= _SHORTEST - 1:
            for form in _deletions(word):
                frequent[form].append(word)
    slips: dict[str, str] = {}
    for word, count in counts.items():
        if count > _RAREST or len(word) < _SHORTEST or not word.isalpha() or is_known(word):
            continue
        meant = {
            other
            for form in _deletions(word)
            for other in frequent.get(form, ())
            if counts[other] >= _TIMES_AS_OFTEN * count and _is_slip(word, other)
        }
        if len(meant) == 1:
            slips[word] = meant.pop()
    return slips


def _deletions(word: str) -> Iterator[str]:
    yield word
    for place in range(1, len(word)):
        yield word[:place] + word[place + 1 :]


def _is_slip(word: str, meant: str) -> bool:
    """Return whether two words differ by one letter inserted, omitted or transposed inside."""
    if word == meant or abs(len(word) - len(meant)) > 1:
        return False
    start = next(i for i in range(len(word) + 1) if word[i : i + 1] != meant[i : i + 1])
    if start == 0 or start >= min(len(word), len(meant)):  # the ends of words are inflected
        return False
    if len(word) == len(meant):
        exchanged = word[start + 1 : start + 2] + word[start : start + 1] + word[start + 2 :]
        return exchanged == meant[start:]
    longer, shorter = (word, meant) if len(word) > len(meant) else (meant, word)
    return longer[start + 1 :] == shorter[start:]
