"""Marks in a text that show where its links and ids were, once Docling has read it.

Docling keeps neither the place of a link in a paragraph nor the ids of HTML elements. Both are
therefore put into the text before Docling reads it, as Unicode noncharacters, which no document
may hold in interchange (Unicode, section 23.7), and taken out of what it made of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from graphrag_tasks.parse.blocks import Block, Link

_OPEN, _CLOSE, _PLACE = "\ufdd0", "\ufdd1", "\ufdd2"
_FIRST_DIGIT = 0xFDD4
_HEX = "0123456789abcdef"
_DIGITS = str.maketrans({digit: chr(_FIRST_DIGIT + value) for value, digit in enumerate(_HEX)})
_VALUES = str.maketrans({chr(_FIRST_DIGIT + value): digit for value, digit in enumerate(_HEX)})
_MARK = re.compile("([\ufdd0\ufdd2])([\ufdd4-\ufde3]+)|[\ufdd0-\ufdef]")
_NONCHARACTERS = {code: None for code in range(0xFDD0, 0xFDF0)}


class Unmarked(NamedTuple):
    """A text without marks, and what they were for: spans of links by number, numbers of ids."""

    text: str
    links: list[tuple[int, int, int]]
    places: list[int]


@dataclass
class Marks:
    """The links and ids of one document, by the number their marks have."""

    names: list[str] = field(default_factory=list)

    def link(self, href: str) -> tuple[str, str]:
        """Return what goes before and after the text of a link."""
        return _OPEN + self._number(href), _CLOSE

    def place(self, name: str) -> str:
        """Return what goes before the first text of the element with this id."""
        return _PLACE + self._number(name)

    def _number(self, name: str) -> str:
        self.names.append(name)
        return f"{len(self.names) - 1:x}".translate(_DIGITS)

    def taken_out(self, blocks: Iterable[Block]) -> list[Block]:
        """Return the blocks without marks, with their links and ids.

        A text that Docling repeats, such as a table's header, has its links the first time only.
        """
        seen: set[int] = set()
        return [self._take_out(block, seen) for block in blocks]

    def _take_out(self, block: Block, seen: set[int]) -> Block:
        text, spans, places = unmark(block.text)
        links = [
            Link(start, end, self.names[number])
            for start, end, number in spans
            if text[start:end].strip() and self._is_new(number, seen)
        ]
        anchors = [self.names[number] for number in places if self._is_new(number, seen)]
        return replace(block, text=text, links=tuple(links), anchors=tuple(anchors))

    def _is_new(self, number: int, seen: set[int]) -> bool:
        if number in seen or number >= len(self.names):
            return False
        seen.add(number)
        return True


def without_marks(text: str) -> str:
    """Return a text without marks, and without characters that could be taken for them."""
    return text.translate(_NONCHARACTERS)


def split_marks(text: str) -> tuple[str, list[tuple[int, str]]]:
    """Return a text without marks, and each mark with its place in that text."""
    found: list[tuple[int, str]] = []
    length = 0
    for mark in _MARK.finditer(text):
        found.append((mark.start() - length, mark[0]))
        length += len(mark[0])
    return without_marks(text), found


def insert_marks(text: str, marks: Iterable[tuple[int, str]]) -> str:
    """Put marks, by ascending place, into a text; the other way round than `split_marks`."""
    parts: list[str] = []
    done = 0
    for place, mark in marks:
        parts += [text[done:place], mark]
        done = place
    return "".join([*parts, text[done:]])


def unmark(text: str) -> Unmarked:
    """Take the marks out of a text; a link whose end is missing ends with the text."""
    parts: list[str] = []
    links: list[tuple[int, int, int]] = []
    places: list[int] = []
    opened: list[tuple[int, int]] = []
    length = position = 0
    for mark in _MARK.finditer(text):
        parts.append(text[position : mark.start()])
        length += len(parts[-1])
        position = mark.end()
        number = int(mark[2].translate(_VALUES), 16) if mark[2] else -1
        if mark[1] == _OPEN:
            opened.append((length, number))
        elif mark[1] == _PLACE:
            places.append(number)
        elif mark[0] == _CLOSE and opened:
            start, number = opened.pop()
            links.append((start, length, number))
    clean = "".join([*parts, text[position:]])
    links += [(start, len(clean), number) for start, number in opened]
    return Unmarked(clean, sorted(links), places)
