"""Suggest known names with a similar spelling."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_SHOWN = 3  # Most suggested names; chosen.


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question that suggests known names similar to a name, or sharing a word; else ""."""
    names = sorted(set(known))
    near = difflib.get_close_matches(name, names, n=_SHOWN)
    if not near:
        by_word = {word: one for one in reversed(names) for word in one.split()}
        close = difflib.get_close_matches(name, by_word, n=_SHOWN)
        near = list(dict.fromkeys(by_word[word] for word in close))
    return f"Did you mean {' or '.join(map(repr, near))}?" if near else ""
