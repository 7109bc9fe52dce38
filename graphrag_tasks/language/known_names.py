"""Find names in a question: the longest runs of words that are a known name.

Words are folded: case, accents, possessives and punctuation are ignored. "s 4hana" finds "S/4HANA", "cl gui alv grid"
finds `CL_GUI_ALV_GRID`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Protocol, runtime_checkable

from graphrag_tasks.language.bm25 import STOP_WORDS, fold

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SHORTEST_WORD = 4  # Shortest one-word name; shorter ones are too often common words. Chosen.
_MOST_WORDS = 12  # Longer names are not searched.


@runtime_checkable
class SortedNames(Protocol):
    """Known names that can be searched by prefix, which saves nine of ten look-ups."""

    def __contains__(self, name: object, /) -> bool:
        """Tell whether it is a name."""

    def begins(self, text: str) -> bool:
        """Tell whether a name begins with a text; false positives are allowed."""


@dataclass(frozen=True)
class NameMatch:
    """A known name in a text, folded; `as_name`: written with a capital letter or a digit."""

    key: str
    start: int
    end: int
    as_name: bool

    @property
    def is_telling(self) -> bool:
        """Whether it is written as a name or has several words.

        A single lower-case word is often no name: "what is the name of …".
        """
        return self.as_name or " " in self.key


def folded_name(name: str) -> str:
    """Return the folded words of a name, joined by spaces."""
    return " ".join(fold(word) for word in _WORD.findall(name))


def can_be_named(key: str, shortest: int = _SHORTEST_WORD) -> bool:
    """Tell whether a name can be searched: not if it is only stop words or very short."""
    words = key.split(" ")
    if all(word in STOP_WORDS for word in words):
        return False
    return len(words) > 1 or len(key) >= shortest


def runs(key: str) -> Iterator[str]:
    """Yield each run of words of a folded name, except the whole name."""
    words = key.split(" ")
    for length in range(1, len(words)):
        for start in range(len(words) - length + 1):
            yield " ".join(words[start : start + length])


def find_names(text: str, known: Container[str], shortest: int = _SHORTEST_WORD) -> list[NameMatch]:
    """Return the known folded names in a text, in order; longer ones win overlaps."""
    words = list(_WORD.finditer(text))
    folded = [fold(word[0]) for word in words]
    taken = [False] * len(words)
    found: list[NameMatch] = []
    most = _most_words(folded, known)
    for length in range(max(most, default=0), 0, -1):
        for start in range(len(words) - length + 1):
            if most[start] < length:
                continue
            end = start + length
            key = " ".join(folded[start:end])
            if key in known and can_be_named(key, shortest) and not any(taken[start:end]):
                taken[start:end] = [True] * length
                as_name = is_written_as_name([word[0] for word in words[start:end]])
                found.append(NameMatch(key, words[start].start(), words[end - 1].end(), as_name))
    return sorted(found, key=lambda match: match.start)


def _most_words(words: Sequence[str], known: Container[str]) -> list[int]:
    """Return, for each word, the most words of a known name that begins there."""
    runs_on = [words[start : start + _MOST_WORDS] for start in range(len(words))]
    if not isinstance(known, SortedNames):
        return list(map(len, runs_on))
    most = []
    for run in runs_on:
        begun = (known.begins(" ".join(run[:length])) for length in range(1, len(run) + 1))
        most.append(sum(1 for _ in takewhile(bool, begun)))
    return most


def is_written_as_name(words: list[str]) -> bool:
    """Tell whether one of the first two words has a capital or a digit: "the Beatles"."""
    return any(word != word.lower() or any(map(str.isdigit, word)) for word in words[:2])
