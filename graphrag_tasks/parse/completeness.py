"""A check that the texts of a file are in its blocks, which adds those that are missing.

Docling passes over some places of a file, and which ones changes with its versions. Only letters
and digits are compared, as blank space and signs change on the way.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

from graphrag_tasks.parse.blocks import Block
from graphrag_tasks.parse.text import clean_text

_NEAR = ((0, 200), (8, 20_000), (30, 10**9))
"""A text of at least so many letters, found at most so many letters further on, is the place that
has been reached; shorter ones may stand anywhere by chance."""


class FileText(NamedTuple):
    """A text as it stands in a file: its stretches, such as words in bold type, and its page."""

    runs: Sequence[str]
    page: int | None = None


def letters_of(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(filter(str.isalnum, text))


def with_missing(blocks: Sequence[Block], texts: Iterable[FileText]) -> list[Block]:
    """Return the blocks, and a paragraph for each text of the file that is in none of them.

    The texts come in the order of the file. A paragraph that is added stands behind the block that
    has the text before it. A text that the file has twice and the blocks once is not found missing.
    """
    added: dict[int, list[Block]] = defaultdict(list)
    places = _Places(blocks)
    for text in texts:
        if missing := places.missing(text):
            added[places.last].append(Block("paragraph", missing, page=text.page))
    behind = ([block, *added[number]] for number, block in enumerate(blocks))
    return [*added[-1], *chain.from_iterable(behind)]


class _Places:
    """The letters of all blocks, and the number of the block that the texts of the file reached."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        letters = [letters_of(block.text) for block in blocks]
        self._letters = "".join(letters)
        self._starts = [0, *accumulate(map(len, letters))]
        self._at = 0
        self.last = -1

    def missing(self, text: FileText) -> str:
        """Return the runs of a text that are in no block, as one text."""
        if self._find("".join(text.runs)):
            return ""
        return clean_text("".join(run for run in text.runs if not self._find(run))).strip()

    def _find(self, text: str) -> bool:
        wanted = letters_of(text)
        if not wanted:
            return True
        at = self._letters.find(wanted, self._at)
        if at < 0:
            at = self._letters.find(wanted)
        if at < 0:
            return False
        reach = max(letters for least, letters in _NEAR if len(wanted) >= least)
        if abs(at - self._at) <= reach:
            self._at = at
            self.last = bisect_right(self._starts, at) - 1
        return True
