"""What a document says, from Markdown or from our own blocks, in one form that can be compared.

Our text of a table repeats the header in each row (`Name: Bob | Age: 3`, see `parse.tables`), so its cells are taken
instead. Of both sides, a table is its rows' cells without the empty ones, and neighbours of one row with the same text
count as one: Markdown has to repeat a cell that spans columns.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from benchmarks.scoring.parse_metrics import words
from graphrag_tasks.parse.blocks import Block
from graphrag_tasks.parse.tables import Table

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^()\s]*(?:\([^()]*\)[^()]*)*(?:\s\"[^\"]*\")?\)")
_LINK = re.compile(r"\[([^\[\]]*)\]\((?:[^()\s]|\([^()]*\))*(?:\s\"[^\"]*\")?\)")
_TAG = re.compile(
    r"</?(?:a|b|br|code|del|div|em|i|img|ins|kbd|li|mark|ol|p|s|small|span|strong|sub|sup|u|ul)"
    r"(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_MARKS = re.compile(r"\*+|~~|`+|(?<!\w)_+|_+(?!\w)")
_ITEM = re.compile(r"^\s*(?:>\s*)*(?:[-*+\u2022\u25cf\u25e6\u25aa\u00b7]\s+|\d+[.)]\s+)+", re.MULTILINE)
_BOX = re.compile(r"\[[ xX]\]\s|[\u2610\u2611\u2612]\s?")
_QUOTE = re.compile(r"^\s*>+\s?", re.MULTILINE)
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_RULE = re.compile(r"^\s*(?:[-*_]\s*){3,}$")
_SEPARATOR_ROW = re.compile(r"^\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$")
_PIPE = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Content:
    """A document's content, free of syntax.

    Attributes:
        text: All of it in reading order, tables included.
        headings: Level, as Markdown counts, and text of each heading; a title has level 1.
        cells: Texts of all cells of tables that are not empty.
    """

    text: str
    headings: tuple[tuple[int, str], ...]
    cells: tuple[str, ...]

    @property
    def heading_words(self) -> list[str]:
        """Each heading's words."""
        return [" ".join(words(text)) for _, text in self.headings]

    @property
    def levelled_headings(self) -> list[tuple[int, str]]:
        """Each heading's level and words."""
        return [(level, " ".join(words(text))) for level, text in self.headings]

    @property
    def cell_words(self) -> list[str]:
        """Each cell's words, or its signs where it has none."""
        return [" ".join(words(text)) or "".join(text.split()) for text in self.cells]


class _Builder:
    def __init__(self) -> None:
        self._texts: list[str] = []
        self._headings: list[tuple[int, str]] = []
        self._cells: list[str] = []

    def text(self, text: str) -> None:
        self._texts.append(plain(text))

    def heading(self, level: int, text: str) -> None:
        self.text(text)
        if words(self._texts[-1]):
            self._headings.append((level, self._texts[-1]))

    def table(self, rows: Iterable[Sequence[str]]) -> None:
        for row in rows:
            filled = [text for text in map(plain, row) if text]
            cells = [text for text, _ in groupby(filled)]
            self._texts.extend(cells)
            self._cells.extend(cells)

    def content(self) -> Content:
        text = "\n".join(filter(None, self._texts))
        return Content(text, tuple(self._headings), tuple(self._cells))


def plain(text: str) -> str:
    """Return text without Markdown's signs, pictures, list markers and HTML's inline tags."""
    text = _LINK.sub(r"\1", _IMAGE.sub(" ", _COMMENT.sub(" ", text)))
    text = _QUOTE.sub("", _TAG.sub(" ", text))
    text = _BOX.sub(" ", _ITEM.sub("", text))
    text = _ESCAPE.sub(r"\1", html.unescape(text))
    return " ".join(_MARKS.sub("", text).split())


def content_of_blocks(blocks: Iterable[Block]) -> Content:
    """Return the content of a parsed document."""
    made = _Builder()
    for block in blocks:
        if block.kind in ("title", "heading"):
            made.heading(1 + (block.level or 0), block.text)  # as Docling writes them
        elif block.table is not None:
            made.table(_rows(block.table))
        else:
            made.text(block.text)
    return made.content()


def content_of_markdown(markdown: str) -> Content:
    """Return the content of Markdown with `#` headings and pipe tables."""
    made = _Builder()
    for kind, lines in _parts(_COMMENT.sub(" ", markdown).splitlines()):
        if kind == "table":
            made.table(_grid(lines))
        elif kind == "line" and (heading := _HEADING.match(lines[0])):
            made.heading(len(heading[1]), heading[2])
        else:
            made.text("\n".join(lines))
    return made.content()


def _rows(table: Table) -> Iterator[list[str]]:
    """Yield a table's rows; a cell that spans rows is in each of them, as Markdown repeats it."""
    rows: dict[int, list[tuple[int, str]]] = defaultdict(list)
    columns = (table.cells[name] for name in ("row", "row_span", "column", "text"))
    for row, span, column, text in zip(*columns, strict=True):
        for covered in range(row, row + span):
            rows[covered].append((column, text))
    for row in sorted(rows):
        yield [text for _, text in sorted(rows[row])]


def _parts(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield fenced code, tables and single lines."""
    at = 0
    while at < len(lines):
        end = at + 1
        if _FENCE.match(lines[at]):
            while end < len(lines) and not _FENCE.match(lines[end]):
                end += 1
            yield "code", [*lines[at + 1 : end]]
            end += 1
        elif "|" in lines[at] and end < len(lines) and _SEPARATOR_ROW.match(lines[end]):
            while end < len(lines) and "|" in lines[end]:
                end += 1
            yield "table", list(lines[at:end])
        elif not _RULE.match(lines[at]):
            yield "line", [lines[at]]
        at = end


def _grid(lines: Iterable[str]) -> Iterator[list[str]]:
    for number, line in enumerate(lines):
        if number != 1:
            yield _PIPE.split(line.strip().removeprefix("|"))
