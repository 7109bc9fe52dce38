"""Names that texts share: the longest ones that a text holds, found word by word in a trie.

Source of the matching: the dictionary matching of entity linking, longest names first. A name is
compared by its folded words, so case, accents, possessives and the signs inside a name of
code make no difference: "S/4HANA" is found by "s 4hana", `CL_GUI_ALV_GRID` by "cl gui alv grid".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from graphrag_tasks.retrieval.tokens import STOP_WORDS, fold

NameKey = tuple[str, ...]
"""Folded words of a name: what names are compared by."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_IN_BRACKETS = re.compile(r"\s*[(\[][^)\]]*[)\]]")
_END = ""
_SHORTEST = 4


@dataclass(frozen=True)
class NameMatch:
    """A known name in a text.

    Attributes:
        row: The name.
        start: Its first character.
        end: One past its last character.
        as_name: Whether it is written as names are: with a capital letter or a digit.
    """

    row: int
    start: int
    end: int
    as_name: bool


def name_words(name: str) -> NameKey:
    """Return the folded words of a name; empty where it has none."""
    return tuple(fold(match[0]) for match in _WORD.finditer(name))


def title_aliases(title: str) -> list[str]:
    """Return what a title may be called in a text: whole, without brackets, before a comma."""
    bare = _IN_BRACKETS.sub("", title).strip()
    return [alias for alias in dict.fromkeys([title.strip(), bare, bare.split(",")[0]]) if alias]


def can_be_named(key: NameKey) -> bool:
    """Tell whether texts can be searched for a name: no word of grammar alone, nor few letters."""
    if all(word in STOP_WORDS for word in key):
        return False
    return len(key) > 1 or len(key[0]) >= _SHORTEST


class NameTrie:
    """Names by their words.

    Args:
        keys: The names, in order of their rows; of two equal ones the first is found.
    """

    def __init__(self, keys: Iterable[NameKey]) -> None:
        self._root: dict[str, Any] = {}
        for row, key in enumerate(keys):
            node = self._root
            for word in key:
                node = node.setdefault(word, {})
            node.setdefault(_END, row)

    def find(self, text: str) -> list[NameMatch]:
        """Return the names of a text from left to right; of two that overlap, the longer."""
        found = list(_WORD.finditer(text))
        folded = [fold(match[0]) for match in found]
        spans = []
        for start, word in enumerate(folded):
            if word in self._root:
                row, end = self._longest(folded, start)
                if row is not None:
                    spans.append((start - end, start, end, row))
        taken = [False] * len(found)
        matches: list[NameMatch] = []
        for _, start, end, row in sorted(spans):
            if any(taken[start:end]):
                continue
            taken[start:end] = [True] * (end - start)
            surface = [match[0] for match in found[start:end]]
            span = found[start].start(), found[end - 1].end()
            matches.append(NameMatch(row, *span, _is_written_as_name(surface)))
        return sorted(matches, key=lambda match: match.start)

    def _longest(self, words: Sequence[str], start: int) -> tuple[int | None, int]:
        node: dict[str, Any] | None = self._root
        best, best_end = None, start
        for place in range(start, len(words)):
            node = node.get(words[place]) if node else None
            if node is None:
                break
            if _END in node:
                best, best_end = node[_END], place + 1
        return best, best_end


def _is_written_as_name(words: Sequence[str]) -> bool:
    """Tell by the first two words: "the Beatles" is a name, "the end" is none."""
    return any(word[0].isupper() or any(map(str.isdigit, word)) for word in words[:2])
