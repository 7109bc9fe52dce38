"""Find a name in a text: its words in order, with few others between them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from graphrag_tasks.extract.words import words
from graphrag_tasks.language.names import singular_noun

MOST_BETWEEN = 4  # Most words inside a name's occurrence: "posting run" in "posting and payment run".

_WORD = re.compile(r"\w+(?:['’]s\b)?")
_POSSESSIVE = re.compile(r"['’]s$")
_DETERMINERS = words("determiners")


class Place(NamedTuple):
    """Position of a name, and its text there."""

    start: int
    end: int
    text: str


class Words:
    """The words of a text, normalized for comparison with names."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = list(_WORD.finditer(text))
        self._spans = [match.span() for match in found]
        self._forms = [form_of(match[0]) for match in found]

    def places(self, name: str) -> list[Place]:
        """Return the occurrences of a name, in order; none if the name has no word."""
        wanted = name_forms(name)
        return [place for start in range(len(self._forms)) if (place := self._at(start, wanted))]

    def _at(self, start: int, wanted: Sequence[str]) -> Place | None:
        """Return the occurrence of a name that begins with this word, or None."""
        if not wanted or self._forms[start] != wanted[0]:
            return None
        taken, at = [start], start
        for form in wanted[1:]:
            last = taken[0] + len(wanted) + MOST_BETWEEN
            following = range(at + 1, min(len(self._forms), last))
            at = next((index for index in following if self._forms[index] == form), -1)
            if at < 0:
                return None
            taken.append(at)
        return Place(self._spans[taken[0]][0], self._spans[taken[-1]][1], self._surface(taken))

    def _surface(self, taken: Sequence[int]) -> str:
        return " ".join(self.text[start:end] for start, end in self._runs(taken))

    def _runs(self, taken: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield the character spans of runs of adjacent words."""
        first = before = taken[0]
        for index in taken[1:]:
            if index != before + 1:
                yield self._spans[first][0], self._spans[before][1]
                first = index
            before = index
        yield self._spans[first][0], self._spans[before][1]


def name_forms(name: str) -> list[str]:
    """Return the normalized words of a name, without determiners."""
    forms = [form_of(one) for one in _WORD.findall(name)]
    return [form for form in forms if form not in _DETERMINERS] or forms


def form_of(word: str) -> str:
    """Return a word without case, possessive and plural ending; codes keep their last letter."""
    word = _POSSESSIVE.sub("", unicodedata.normalize("NFKC", word))
    return word.casefold() if word.isupper() else singular_noun(word.casefold())
