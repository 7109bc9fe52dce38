"""Token numbers and properties for the matcher; each distinct token is read once."""

from __future__ import annotations

import re
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.entities.link_mentions.spelling import TOKEN, folded
from graphrag_tasks.language.forms import singular_noun

PREPOSITIONS = ("of", "in", "for", "with", "from", "to", "on", "by", "at", "between", "into")
_SPLIT = re.compile(f"({TOKEN.pattern})")
_UNKNOWN = -1
_MOST_KEPT = 1 << 20
"""Distinct tokens cached before the cache is cleared; bounds memory where texts are full of numbers. Chosen."""
_NO_TRAITS = np.empty((0, 5), np.int32)


class Tokens(NamedTuple):
    """Tokens of some texts, an array element each.

    Attributes:
        start, end: Character offsets in the joined texts.
        stop: The first token after its text.
        exact: Number of the token; -1 where no name contains it.
        is_small: Whether it has letters, none of them a capital.
    """

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    text: NDArray[np.int64]
    stop: NDArray[np.int64]
    exact: NDArray[np.int32]
    singular: NDArray[np.int32]
    is_capital: NDArray[np.int32]
    is_small: NDArray[np.int32]
    opens_small: NDArray[np.int32]


class Vocabulary:
    """Numbers of the folded tokens of names; prepositions are numbered first."""

    def __init__(self) -> None:
        self._numbers = {word: number for number, word in enumerate(PREPOSITIONS)}
        self._rows: dict[str, int] = {}
        self._traits = _NO_TRAITS

    def number(self, word: str) -> int:
        """Return the number of a folded token; a new token gets the next number."""
        return self._numbers.setdefault(word, len(self._numbers))

    def read(self, joined: str, starts: NDArray[np.int64]) -> Tokens:
        """Return the tokens of texts joined by white space; `starts` holds each text's offset."""
        parts = _SPLIT.split(joined)  # white space and tokens in turn
        reached = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
        places, ends, words = reached[:-1:2], reached[1::2], parts[1::2]
        texts = np.searchsorted(starts, places, side="right") - 1
        stops = np.append(np.searchsorted(places, starts[1:]), len(places))
        return Tokens(places, ends, texts, stops[texts], *self._traits_of(words).T)

    def _traits_of(self, words: list[str]) -> NDArray[np.int32]:
        if len(self._rows) > _MOST_KEPT:
            self._rows, self._traits = {}, _NO_TRAITS
        new = sorted(set(words).difference(self._rows))
        if new:
            self._rows.update(zip(new, count(len(self._rows)), strict=False))
            seen = np.array(list(map(self._look_at, new)), np.int32)
            self._traits = np.concatenate([self._traits, seen])
        rows = np.fromiter(map(self._rows.__getitem__, words), np.int64, len(words))
        return self._traits[rows]

    def _look_at(self, token: str) -> tuple[int, ...]:
        word = folded(token)
        exact = self._numbers.get(word, _UNKNOWN)
        singular = self._numbers.get(singular_noun(word), _UNKNOWN)
        is_capital = not f"{token}a".islower()
        return exact, singular, is_capital, token.islower(), token[0].islower()
