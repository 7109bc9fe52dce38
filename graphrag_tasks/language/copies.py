"""Detect near-duplicate texts, such as two versions of a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphrag_tasks.language.bm25 import terms

_COPY = 0.9  # Jaccard similarity from which texts are copies; .85 to .95 gives the same recall on the development sets.


def are_copies(texts: Iterable[str]) -> Iterator[bool]:
    """Yield for each text whether it nearly repeats an earlier one."""
    taken: list[frozenset[str]] = []
    for text in texts:
        words = frozenset(terms(text))
        is_copy = any(len(words & other) >= _COPY * len(words | other) for other in taken)
        if not is_copy:
            taken.append(words)
        yield is_copy
