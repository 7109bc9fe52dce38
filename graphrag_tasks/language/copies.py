"""Texts that say the same in nearly the same words, such as two versions of a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphrag_tasks.language.bm25 import terms

_COPY = 0.9
"""Share of common terms from which on two texts are copies; .85 to .95 gives the same recall on
the development sets."""


def are_copies(texts: Iterable[str]) -> Iterator[bool]:
    """Yield for each text whether it says the same as one before it."""
    taken: list[frozenset[str]] = []
    for text in texts:
        words = frozenset(terms(text))
        is_copy = any(len(words & other) >= _COPY * len(words | other) for other in taken)
        if not is_copy:
            taken.append(words)
        yield is_copy
