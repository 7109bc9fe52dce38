"""The surface of some tokens of a sentence: their text, and the characters it covers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphrag_tasks.language.tokens import Doc, Token

_OPENING = frozenset({"(", "[", "-LRB-", "``", '"', "'", "“", "\u2018"})
_EDGE_WORDS = frozenset({",", ";", ":", ".", "--", "-", "and", "or"})
_BRACKET_PAIRS = (("(", ")"), ("-LRB-", "-RRB-"))
_BRACKETS = frozenset(bracket for pair in _BRACKET_PAIRS for bracket in pair)


@dataclass(frozen=True, slots=True)
class Surface:
    """A text and the characters of the sentence that it covers."""

    text: str
    start: int
    end: int


def surface(doc: Doc, indices: Sequence[int]) -> Surface | None:
    """Return the text of some tokens, without punctuation and conjunctions at its edges.

    Args:
        doc: The sentence.
        indices: Token indices, sorted.

    Returns:
        The text, whose contiguous pieces are joined by a space, or None when nothing is left.
    """
    kept = [i for i in indices if not doc[i].is_space]
    while kept and _droppable_at_start(doc[kept[0]]):
        kept = kept[1:]
    while kept and doc[kept[-1]].lower_ in _EDGE_WORDS:
        kept = kept[:-1]
    if not kept:
        return None
    first, last = doc[kept[0]], doc[kept[-1]]
    if last.i - first.i == len(kept) - 1:
        end = token_end(last)
        return Surface(doc.text[first.idx : end], first.idx, end)
    pieces = [[kept[0], kept[0]]]
    for before, index in pairwise(kept):
        if _adjacent(doc, before, index):
            pieces[-1][1] = index
        else:
            pieces.append([index, index])
    text = " ".join(doc.text[doc[a].idx : token_end(doc[b])] for a, b in pieces)
    return Surface(text, doc[kept[0]].idx, token_end(doc[kept[-1]]))


def without_stray_brackets(doc: Doc, indices: list[int]) -> list[int]:
    """Drop brackets that lost their partner, and pairs that lost their content."""
    words = [doc[i].text for i in indices]
    if _BRACKETS.isdisjoint(words):
        return indices
    for opening, closing in _BRACKET_PAIRS:
        if (opening in words) != (closing in words):
            return [i for i in indices if doc[i].text not in (opening, closing)]
    empty = {
        k
        for a, b in pairwise(range(len(indices)))
        if (words[a], words[b]) in _BRACKET_PAIRS
        for k in (indices[a], indices[b])
    }
    return [i for i in indices if i not in empty]


def token_end(token: Token) -> int:
    """Return one past the last character of a token."""
    return token.idx + len(token)


def _droppable_at_start(token: Token) -> bool:
    return token.dep_ == "cc" or (token.is_punct and token.text not in _OPENING)


def _adjacent(doc: Doc, before: int, after: int) -> bool:
    return all(doc[i].is_space for i in range(before + 1, after))
