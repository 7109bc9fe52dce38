"""Add texts of a file that are missing in its blocks, and tell which blocks have a link.

Docling skips some places of a file, and which ones changes between versions. Only letters and digits are compared, as
blank space and punctuation change during conversion.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from typing import NamedTuple

from graphrag_tasks.parse.blocks import Block
from graphrag_tasks.parse.text import clean_text, one_line

_NEAR = ((0, 200), (8, 20_000), (30, 10**9))
"""Pairs of text length and search distance, both in letters: a text of at least this length, found within this
distance, marks the place reached; shorter texts may match by chance."""

_PARAGRAPHS_AHEAD, _LETTERS_AHEAD = 20, 2000
"""How far to search for two runs if Docling did not read their paragraph as a whole."""
_NO_SPACE_BEFORE = tuple(".,;:!?)]}%\u2019\u201d\u00bb")
_NO_SPACE_AFTER = tuple("([{\u201c\u00ab")


class FileText(NamedTuple):
    """A text of a file: its runs (such as words in bold type), and its page."""

    runs: Sequence[str]
    page: int | None = None


def letters_of(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(filter(str.isalnum, text))


def with_missing(blocks: Sequence[Block], texts: Iterable[FileText]) -> list[Block]:
    """Return the blocks, with a paragraph added for each text of the file that is in none of them.

    Texts come in file order. A paragraph is added after the block that holds the text before it. A text that the file
    has twice and the blocks once is not detected.
    """
    added: dict[int, list[Block]] = defaultdict(list)
    places = _Places(blocks)
    for text in texts:
        if missing := places.missing(text):
            added[places.last].append(Block("paragraph", missing, page=text.page))
    behind = ([block, *added[number]] for number, block in enumerate(blocks))
    return [*added[-1], *chain.from_iterable(behind)]


class Paragraphs:
    """Paragraphs of a file, used to decide whether two runs are separated by blank space."""

    def __init__(self, texts: Iterable[FileText]) -> None:
        self._texts = ["".join(text.runs) for text in texts]
        self._packed = ["".join(text.split()) for text in self._texts]
        self._by_packed = {packed: at for at, packed in reversed(list(enumerate(self._packed)))}
        self._at, self._offset = 0, 0
        self._starts: tuple[int, set[int]] = (-1, set())

    def joined(self, runs: Sequence[str]) -> str:
        """Join runs, with blank space where the file has it.

        For runs that are in no paragraph, such as formulas, the characters at their ends decide.
        """
        packed = ["".join(text.split()) for text in runs]
        self._at, self._offset = self._by_packed.get("".join(packed), self._at), 0
        parts = list(runs[:1])
        for at in range(1, len(runs)):
            is_glued = self._are_glued(packed[at - 1], packed[at])
            if is_glued is None:
                is_glued = runs[at].startswith(_NO_SPACE_BEFORE)
                is_glued |= runs[at - 1].endswith(_NO_SPACE_AFTER)
            parts += [runs[at]] if is_glued else [" ", runs[at]]
        return "".join(parts)

    def _are_glued(self, left: str, right: str) -> bool | None:
        """Tell whether two runs touch near the last match; None if they are not found."""
        for at in range(self._at, min(self._at + _PARAGRAPHS_AHEAD, len(self._texts))):
            first = self._offset if at == self._at else 0
            last = first + len(left) + len(right) + _LETTERS_AHEAD
            start = self._packed[at].find(left + right, first, last)
            if start >= 0:
                self._at, self._offset = at, start + len(left)
                return self._offset not in self._words_of(at)
        return None

    def _words_of(self, at: int) -> set[int]:
        if self._starts[0] != at:
            lengths = map(len, self._texts[at].split())
            self._starts = at, {0, *accumulate(lengths)}
        return self._starts[1]


class _Places:
    """Letters of all blocks, and the index of the block that the file's texts have reached."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        letters = [letters_of(block.text) for block in blocks]
        self._letters = "".join(letters)
        self._starts = [0, *accumulate(map(len, letters))]
        self._at = 0
        self.last = -1

    def missing(self, text: FileText) -> str:
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


# Tell which blocks have a link: below some headings these only refer elsewhere.

NO_LINK = re.compile(r"#?\s*\Z|(?:javascript|vbscript|data|about|blob):", re.IGNORECASE)
"""Targets that lead nowhere."""


class FoundLink(NamedTuple):
    """The text of a link of a page, or of a document without pages."""

    page: int | None
    text: str


def with_links(blocks: Sequence[Block], found: Iterable[FoundLink]) -> list[Block]:
    """Return the blocks; those have a link in which a link's text stands, the first free one."""
    on_page: dict[int | None, list[int]] = defaultdict(list)
    for number, block in enumerate(blocks):
        on_page[block.page].append(number)
    taken = Counter[tuple[int, str]]()
    for link in found:
        text = one_line(link.text)
        for number in on_page[link.page] if text else ():
            if blocks[number].text.count(text) > taken[number, text]:
                taken[number, text] += 1
                break
    linked = {number for number, _ in taken}
    return [replace(block, has_link=True) if number in linked else block for number, block in enumerate(blocks)]
