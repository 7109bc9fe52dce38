"""Find the places of links and ids in the blocks.

Text changes on its way to a block: blank space goes, tables are laid out. So links and ids are put
into it as marks, made of Unicode noncharacters, which no interchanged text may hold (Unicode,
section 23.7), and taken out of the blocks afterwards. Links stored apart from the text are searched
for by their text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from graphrag_tasks.parse.blocks import Block, Link
from graphrag_tasks.parse.tables import Cell, lay_out_table
from graphrag_tasks.parse.text import one_line

_OPEN, _CLOSE, _PLACE = "\ufdd0", "\ufdd1", "\ufdd2"
_DIGITS = {ord(str(digit)): 0xFDD4 + digit for digit in range(10)}
_VALUES = {code: digit for digit, code in _DIGITS.items()}
_MARK = re.compile("([\ufdd0\ufdd2])([\ufdd4-\ufddd]+)|[\ufdd0-\ufdef]")
_NONCHARACTERS = dict.fromkeys(range(0xFDD0, 0xFDF0))
"""Noncharacters, removed from all input text."""
NO_LINK = re.compile(r"#?\s*\Z|(?:javascript|vbscript|data|about|blob):", re.IGNORECASE)
"""Targets that lead nowhere."""


@dataclass
class Marks:
    """Links and ids of a document, by the number in their marks."""

    names: list[str] = field(default_factory=list)

    def link(self, href: str) -> tuple[str, str]:
        """Return the marks before and after the text of a link."""
        return _OPEN + self._number(href), _CLOSE

    def place(self, name: str) -> str:
        """Return the mark before the first text of the element with this id."""
        return _PLACE + self._number(name)

    def _number(self, name: str) -> str:
        self.names.append(name)
        return str(len(self.names) - 1).translate(_DIGITS)

    def take_out(self, block: Block) -> Block:
        """Return a block with links and ids for its marks; a link may lack its end."""
        text, length = without_marks(block.text), 0
        links: list[Link] = []
        anchors: list[str] = []
        opened: list[tuple[int, str]] = []
        for mark in _MARK.finditer(block.text):
            at, number = mark.start() - length, int((mark[2] or "0").translate(_VALUES))
            length += len(mark[0])
            name = self.names[number] if mark[1] and number < len(self.names) else ""
            if mark[1] == _OPEN and name:
                opened.append((at, name))
            elif name:
                anchors.append(name)
            elif mark[0] == _CLOSE and opened:
                start, href = opened.pop()
                links.append(Link(start, at, href))
        links += (Link(start, len(text), href) for start, href in opened)
        own = sorted(link for link in links if text[link.start : link.end].strip())
        found = (*block.links, *own), (*block.anchors, *anchors)
        return replace(block, text=text, links=found[0], anchors=found[1])

    def table(self, cells: Sequence[Cell]) -> Block:
        """Return a table with the links and ids in its cells, without marks."""
        own = [self.take_out(Block("table", cell.text)) for cell in cells]
        clean = (cell._replace(text=block.text) for cell, block in zip(cells, own, strict=True))
        text, table = lay_out_table(clean)
        columns = (table.cells[name] for name in ("row", "column", "start"))
        starts = {(row, column): start for row, column, start in zip(*columns, strict=True)}
        links = (
            Link(start + link.start, start + link.end, link.href)
            for cell, block in zip(cells, own, strict=True)
            if (start := starts[cell[:2]]) is not None
            for link in block.links
        )
        anchors = tuple(name for block in own for name in block.anchors)
        return Block("table", text, table=table, links=tuple(sorted(links)), anchors=anchors)


def without_marks(text: str) -> str:
    """Return a text without marks and other noncharacters."""
    return text.translate(_NONCHARACTERS)


class FoundLink(NamedTuple):
    """A link of a page, or of a document without pages: text and target."""

    page: int | None
    text: str
    href: str


def with_links(blocks: Sequence[Block], found: Iterable[FoundLink]) -> list[Block]:
    """Return the blocks with the links whose texts are found on their pages.

    Each link takes the first free occurrence of its text. A link whose text is not found, such as
    one broken at a line end, is left out.
    """
    on_page: dict[int | None, list[int]] = defaultdict(list)
    for number, block in enumerate(blocks):
        on_page[block.page].append(number)
    links = [list(block.links) for block in blocks]
    for link in found:
        text = one_line(link.text)
        for number in on_page[link.page] if text else ():
            if span := _free(blocks[number].text, text, links[number]):
                links[number].append(Link(*span, link.href))
                break
    return [
        replace(block, links=tuple(sorted(own))) for block, own in zip(blocks, links, strict=True)
    ]


def _free(text: str, wanted: str, taken: Sequence[Link]) -> tuple[int, int] | None:
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not any(link.start < end and start < link.end for link in taken):
            return start, end
        start = text.find(wanted, end)
    return None
