"""Text lines of a PDF file into paragraphs.

Two lines belong together when they stand in the same row, or when the second stands close below
the first, is of its size, is not indented, and its first word would not have fitted behind the
first: a line that had room left ended its paragraph.

Lengths are points from the top left of a page; factors are in heights of a line.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from graphrag_tasks.parse.blocks import Block, Box
from graphrag_tasks.parse.pdf_furniture import without_furniture

_SAME_ROW = 0.5  # share of the lower height that two cells of a row overlap by
_WORD_GAP = 1.5  # between two cells of a row that are one text
_LINE_GAP = 0.9  # between two lines of a paragraph
_OVERLAP = 0.5  # of two lines of a paragraph, which letters with accents may cause
_SIZE_RATIO = 1.4  # a line's height depends on its letters: only a clear step is another size
_INDENT = 0.5  # beyond which a line begins a paragraph
_MAX_INDENT = 4.0  # beyond which a line belongs to something else
_ROOM = 1.1  # widths of the next word that a line must have left to have ended its paragraph

_BULLET = re.compile(r"[•‣▪●○◦∙·∞*-]\s+(?=\S)")
_NUMBER = re.compile(r"[(]?(?:\d{1,2}|[a-z])[.)]\s+(?=\S)")
_BROKEN_WORD = re.compile(r"[^\W\d_][-\u00ad]$")
_ENDS_OPEN = re.compile(r"[\w,;\-\u00ad]$")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")  # kana and ideographs
_LEADING_NUMBERING = re.compile(r"^[\W\d_]+")

Outline = Mapping[int, Mapping[str, int]]
"""Heading level by heading key, by page."""


def heading_key(title: str) -> str:
    """Return what is compared to find a bookmark's heading: no numbering, case or blank space."""
    return "".join(_LEADING_NUMBERING.sub("", title).casefold().split())


def paragraphs(lines: Sequence[Block], outline: Outline) -> list[Block]:
    """Return paragraphs, list items and headings made of text lines.

    Page numbers and lines that repeat at the edge of most pages are left out.

    Args:
        lines: Text lines in the parser's order, each with page and box.
        outline: The file's bookmarks.
    """
    grouped = list(_group(without_furniture(lines), outline))
    return [paragraph.block() for paragraph in _joined_over_breaks(grouped)]


@dataclass
class _Paragraph:
    """Lines that belong together; each row of cells is one line."""

    lines: list[Block]
    level: int | None = None

    @property
    def text(self) -> str:
        text = self.lines[0].text
        for line in self.lines[1:]:
            text = _join(text, line.text)
        return text

    def block(self) -> Block:
        first = self.lines[0]
        boxes = [_box(line) for line in self.lines if line.page == first.page]
        kind, text = "paragraph" if self.level is None else "heading", self.text
        if self.level is None and (bullet := _BULLET.match(text)):
            kind, text = "list_item", text[bullet.end() :]
        return Block(kind, text, self.level, first.page, _union(boxes))

    def takes(self, line: Block) -> bool:
        """Tell whether the line goes on with this paragraph."""
        last = self.lines[-1]
        if self.level is not None or last.page != line.page:
            return False
        return _continues_row(last, line) or self._continues_below(line)

    def add(self, line: Block) -> None:
        last = self.lines[-1]
        if _same_row(_box(last), _box(line)) and last.page == line.page:
            box = _union([_box(last), _box(line)])
            self.lines[-1] = replace(last, text=f"{last.text} {line.text}", box=box)
        else:
            self.lines.append(line)

    def _continues_below(self, line: Block) -> bool:
        last, box = _box(self.lines[-1]), _box(line)
        height = _height(last)
        gap = box.top - last.bottom
        if not -_OVERLAP * height <= gap <= _LINE_GAP * height or _starts_item(line):
            return False
        if not 1 / _SIZE_RATIO <= _height(box) / height <= _SIZE_RATIO:
            return False
        return not self._is_indented(box, height) and not self._had_room(line)

    def _is_indented(self, box: Box, height: float) -> bool:
        first, last = _box(self.lines[0]), _box(self.lines[-1])
        indent = box.left - last.left
        if len(self.lines) > 1 and indent > _INDENT * height:
            return not _is_right_to_left(self.lines[-1].text)
        offset = min(abs(indent), abs(box.left - first.left), abs(box.right - last.right))
        return offset > _MAX_INDENT * height

    def _had_room(self, line: Block) -> bool:
        boxes = [*map(_box, self.lines), _box(line)]
        if _is_right_to_left(line.text):
            room = boxes[-2].left - min(box.left for box in boxes)
        else:
            room = max(box.right for box in boxes) - boxes[-2].right
        word = len(line.text.split(maxsplit=1)[0]) + 1
        width = (boxes[-1].right - boxes[-1].left) * word / (len(line.text) + 1)
        return room > _ROOM * width


def _group(lines: Sequence[Block], outline: Outline) -> Iterator[_Paragraph]:
    current: _Paragraph | None = None
    bookmarks = {page: dict(levels) for page, levels in outline.items()}
    skip = False
    for line, following in zip_longest(lines, lines[1:]):
        if skip:
            skip = False
            continue
        heading = _heading(line, following, bookmarks.get(line.page or 0, {}))
        skip = heading is not None and len(heading.lines) > 1
        if heading is None and current is not None and current.takes(line):
            current.add(line)
            continue
        if current is not None:
            yield current
        current = heading or _Paragraph([line])
    if current is not None:
        yield current


def _heading(line: Block, following: Block | None, levels: dict[str, int]) -> _Paragraph | None:
    """Return the heading that one or two lines are by the bookmarks, each used once."""
    for lines in ([line], [line, following]):
        parts = [part for part in lines if part is not None]
        level = levels.pop(heading_key(" ".join(part.text for part in parts)), None)
        if level is not None:
            return _Paragraph(parts, level)
    return None


def _joined_over_breaks(grouped: Sequence[_Paragraph]) -> list[_Paragraph]:
    """Join a paragraph with its rest in the next column or on the next page."""
    joined: list[_Paragraph] = []
    for paragraph in grouped:
        if joined and _goes_on(joined[-1], paragraph):
            joined[-1].lines.extend(paragraph.lines)
        else:
            joined.append(paragraph)
    return joined


def _goes_on(before: _Paragraph, after: _Paragraph) -> bool:
    last, first = before.lines[-1], after.lines[0]
    if before.level is not None or after.level is not None:
        return False
    is_break = last.page != first.page or _box(first).bottom < _box(last).top
    return is_break and first.text[0].islower() and _ENDS_OPEN.search(last.text) is not None


def _join(text: str, line: str) -> str:
    if _BROKEN_WORD.search(text) and line[0].islower():
        return text[:-1] + line
    if _UNSPACED.match(text[-1]) and _UNSPACED.match(line[0]):
        return text + line
    return f"{text} {line}"


def _starts_item(line: Block) -> bool:
    return bool(_BULLET.match(line.text) or _NUMBER.match(line.text))


def _is_right_to_left(text: str) -> bool:
    return unicodedata.bidirectional(text[0]) in ("R", "AL")


def _continues_row(last: Block, line: Block) -> bool:
    left, right = _box(last), _box(line)
    gap = max(right.left - left.right, left.left - right.right)
    return _same_row(left, right) and gap <= _WORD_GAP * _height(left)


def _same_row(first: Box, second: Box) -> bool:
    shared = min(first.bottom, second.bottom) - max(first.top, second.top)
    return shared >= _SAME_ROW * min(_height(first), _height(second))


def _height(box: Box) -> float:
    return max(box.bottom - box.top, 1.0)


def _box(line: Block) -> Box:
    if line.box is None:
        raise ValueError("a text line of a PDF page has no box")
    return line.box


def _union(boxes: Sequence[Box]) -> Box:
    return Box(
        min(box.left for box in boxes),
        min(box.top for box in boxes),
        max(box.right for box in boxes),
        max(box.bottom for box in boxes),
    )
