"""Names that are spelled like a name that is not there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_SHOWN = 3
"""Names that are suggested; chosen."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question that suggests known names spelled like another, or with a word like it.

    It is empty where none is like it. `name` is written as the known ones are.
    """
    names = sorted(set(known))
    near = difflib.get_close_matches(name, names, n=_SHOWN)
    if not near:
        by_word = {word: one for one in reversed(names) for word in one.split()}
        close = difflib.get_close_matches(name, by_word, n=_SHOWN)
        near = list(dict.fromkeys(by_word[word] for word in close))
    return f"Did you mean {' or '.join(map(repr, near))}?" if near else ""
