"""Text lines of a PDF page: what the parser reports in pieces, put together row by row.

Lengths are points from the top left of a page; factors are in heights of a line.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from graphrag_tasks.parse.blocks import Box

_SAME_ROW = 0.5  # share of the lower height that two pieces of a row overlap by
_OPEN_ROWS = 6  # rows, from the bottom up, that a piece may still belong to
_WORD_GAP = 0.9  # between two pieces of one line
_MARKER_GAP = 4.0  # between a list marker or a section number and its text
_GLUED = 0.12  # between two pieces of one word
_SHORT = 40  # characters of what may be a cell
_EDGE = 3.0  # points, to count lines that are flush
_COLUMN_LINES = 8  # flush lines that a column of text has at least
_SAME_WIDTH = 0.02  # share that widths of a letter differ by in one monospaced font
_ALIKE = 0.9  # of the lines that must agree
_TELLING = 6  # letters of a line that tells
_SIZE_STEP = 0.5  # points, to count lines of one size
_SIZE_TOLERANCE = 0.12  # a line's height is that of its letters, not of its font

_MARKER = re.compile(
    r"[•·●○◦▪■□‣\u2043∙–*✓➢❖\uf0b7\uf0a7-]|[(]?(?:\d{1,2}|[a-z])[.)]|(?:[A-Z]\.)?\d+(?:\.\d+)*\.?"
)


@dataclass(frozen=True)
class Font:
    """A font as its name tells it.

    Attributes:
        name: Without the prefix of an embedded subset.
        bold: Medium weight or more.
        italic: Slanted.
        mono: All letters are of one width.
    """

    name: str = ""
    bold: bool = False
    italic: bool = False
    mono: bool = False


@dataclass(frozen=True)
class Line:
    """A line of text, or a piece of one.

    Attributes:
        text: As the parser gives it.
        box: Of its letters.
        page: From 1.
        font: Of most of its letters; bold and monospaced only if all of it is.
        size: Height of the letters of that font, a proxy of the font size.
        row: Which row of the page it stands in; rows hold what stands side by side.
        alone: No other short line stands in its row.
    """

    text: str
    box: Box
    page: int
    font: Font = Font()
    size: float = 0.0
    row: int = 0
    alone: bool = True

    @property
    def height(self) -> float:
        """Height of the box, never 0."""
        return max(self.box.bottom - self.box.top, 0.1)

    @property
    def width(self) -> float:
        """Width of the box, never 0."""
        return max(self.box.right - self.box.left, 0.1)

    @property
    def is_upright(self) -> bool:
        """Whether the text runs from side to side of the page."""
        return self.height < self.width + 2 or len(self.text.strip()) <= 3


@dataclass(frozen=True)
class Body:
    """What most of a document's text looks like.

    Attributes:
        size: Height of its lines.
        font: Its font's name.
        bold: Whether that font is bold.
        mono: Whether that font is monospaced.
    """

    size: float = 10.0
    font: str = ""
    bold: bool = False
    mono: bool = False


def union(boxes: Iterable[Box]) -> Box:
    """Return the box around some boxes."""
    left, top, right, bottom = zip(*boxes, strict=True)
    return Box(min(left), min(top), max(right), max(bottom))


def is_right_to_left(text: str) -> bool:
    """Tell whether the text's first letter is of a script written from right to left."""
    letter = next((character for character in text if character.isalpha()), "")
    return bool(letter) and unicodedata.bidirectional(letter) in ("R", "AL")


def is_capitals(text: str) -> bool:
    """Tell whether all letters are upper case; those of scripts without case are not."""
    return any(map(str.isalpha, text)) and all(map(str.isupper, filter(str.isalpha, text)))


def same_row(first: Box, second: Box) -> bool:
    """Tell whether two boxes stand side by side."""
    shared = min(first.bottom, second.bottom) - max(first.top, second.top)
    lower = min(first.bottom - first.top, second.bottom - second.top)
    return shared >= _SAME_ROW * max(lower, 0.1)


def rows_of(pieces: Iterable[Line]) -> list[list[Line]]:
    """Return the pieces by row, from the top down, each from left to right."""
    rows: list[list[Line]] = []
    for piece in sorted(pieces, key=lambda piece: (piece.box.bottom, piece.box.left)):
        recent = reversed(rows[-_OPEN_ROWS:])
        row = next((row for row in recent if _stands_in(row, piece)), None)
        if row is None:
            rows.append([piece])
        else:
            row.append(piece)
    return [sorted(row, key=lambda piece: (piece.box.left, piece.box.top)) for row in rows]


def lines_of(pieces: Iterable[Line]) -> list[Line]:
    """Return the lines that a page's pieces make."""
    rows = [
        [_joined(group, number) for group in _groups(row)]
        for number, row in enumerate(rows_of(pieces))
    ]
    lines = [line for row in rows for line in row]
    shared = Counter(map(_edge, lines))
    return [replace(line, alone=_is_alone(line, row, shared)) for row in rows for line in row]


def body_of(lines: Iterable[Line]) -> Body:
    """Return what most letters of these lines look like; sizes count as one within 12 percent."""
    sizes: Counter[float] = Counter()
    lines = list(lines)
    for line in lines:
        sizes[round(line.size / _SIZE_STEP) * _SIZE_STEP] += len(line.text)
    if not sizes:
        return Body()

    def near(size: float) -> dict[float, int]:
        reach = _SIZE_TOLERANCE * size
        return {other: count for other, count in sizes.items() if abs(other - size) <= reach}

    most = max(sorted(sizes), key=lambda size: sum(near(size).values()))
    alike = near(most)
    size = sum(size * count for size, count in alike.items()) / sum(alike.values())
    fonts: Counter[Font] = Counter()
    for line in lines:
        if abs(line.size - most) <= _SIZE_TOLERANCE * most + _SIZE_STEP:
            fonts[line.font] += len(line.text)
    font = max(fonts, key=lambda font: (fonts[font], font.name))
    return Body(max(size, 1.0), font.name, font.bold, font.mono)


def with_fixed_pitch(pieces: Iterable[Line]) -> list[Line]:
    """Mark as monospaced what is by its widths: the parser does not know the names of all fonts.

    Lines of digits do not tell, because most fonts have digits of one width.
    """
    pieces = list(pieces)
    by_font: dict[Font, list[Line]] = defaultdict(list)
    for piece in pieces:
        if sum(map(str.isalpha, piece.text)) >= _TELLING:
            by_font[piece.font].append(piece)
    fixed = {font for font, lines in by_font.items() if _shares_width(lines)}
    return [
        replace(piece, font=replace(piece.font, mono=True)) if piece.font in fixed else piece
        for piece in pieces
    ]


def _edge(line: Line) -> int:
    return round(line.box.left / _EDGE)


def _is_alone(line: Line, row: Iterable[Line], shared: Mapping[int, int]) -> bool:
    """Tell whether no cell stands beside it; what many lines are flush with begins a column."""
    return not any(
        other is not line and len(other.text) <= _SHORT and shared[_edge(other)] < _COLUMN_LINES
        for other in row
    )


def _stands_in(row: Sequence[Line], piece: Line) -> bool:
    if not same_row(row[-1].box, piece.box):
        return False
    return not any(_covers(member, piece) for member in row)


def _covers(first: Line, second: Line) -> bool:
    """Tell whether one stands above the other: lines set tightly share some of their height."""
    shared = min(first.box.right, second.box.right) - max(first.box.left, second.box.left)
    narrow = min(first, second, key=lambda line: line.width)
    return shared > 0.5 * narrow.width and len(narrow.text.strip()) > 2


def _shares_width(lines: Sequence[Line]) -> bool:
    """Tell whether a letter is as wide in one of these lines as in any other."""
    widths = {line.text: line.width / len(line.text) for line in lines}
    if len(widths) < 2:
        return False
    usual = median(widths.values())
    alike = sum(abs(width - usual) <= _SAME_WIDTH * usual for width in widths.values())
    return alike >= _ALIKE * len(widths)


def _groups(row: Sequence[Line]) -> list[list[Line]]:
    groups: list[list[Line]] = []
    for piece in row:
        if groups and _continues(groups[-1], piece):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return groups


def _continues(group: Sequence[Line], piece: Line) -> bool:
    gap = piece.box.left - max(before.box.right for before in group)
    if gap <= _WORD_GAP * max(group[-1].height, piece.height):
        return True
    is_marker = len(group) == 1 and _MARKER.fullmatch(group[0].text.strip()) is not None
    return is_marker and gap <= _MARKER_GAP * group[0].height


def _joined(group: Sequence[Line], row: int) -> Line:
    weights = [sum(map(str.isalpha, piece.text)) for piece in group]
    main = group[max(range(len(group)), key=lambda index: weights[index])]
    said = [piece for piece, weight in zip(group, weights, strict=True) if weight > 2] or [main]
    font = replace(
        main.font,
        bold=all(piece.font.bold for piece in said),
        mono=all(piece.font.mono for piece in said),
    )
    text = " ".join(_text(group).replace("\x02", "-").split())
    box = union(piece.box for piece in group)
    return Line(text, box, main.page, font, main.size or main.height, row)


def _text(group: Sequence[Line]) -> str:
    is_reversed = any(is_right_to_left(piece.text) for piece in group)
    if is_reversed:
        group = group[::-1]
    text = group[0].text
    for before, piece in pairwise(group):
        gap = max(piece.box.left - before.box.right, before.box.left - piece.box.right)
        glued = gap < _GLUED * piece.height and not is_reversed
        text += piece.text if glued else f" {piece.text}"
    return text
