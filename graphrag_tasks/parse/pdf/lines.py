"""Text lines of PDF pages: place, font, and how they are joined.

Lengths are points from the top left of a page. Text that leans is turned upright, and laid out as if it stood below the
page, in a stretch of `_STRETCH` points for each angle.
"""

from __future__ import annotations

import json
import re
import unicodedata
from cmath import rect
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from math import radians
from statistics import median

from graphrag_tasks.language import DEFAULT_MODEL, model_folder
from graphrag_tasks.parse.blocks import Box

_HYPHENATED = re.compile(r"(-?)([^\W_]+)[-\u2010]$")
_FIRST = re.compile(r"[^\W_]+")
# Within a line: what begins or ends one may be a part of a word
_WORD = re.compile(r"(?<=\s)[^\W\d_]+(?:-[^\W\d_]+)*(?=[\s.,;:!?)])")
_SUSPENDED = frozenset({"and", "or", "to", "und", "oder", "bis", "bzw", "et", "ou", "y", "e", "o"})
SOFT_HYPHEN = "\u00ad"
_LETTERS = 4  # of a word of English, at least: the vocabulary lists endings of three letters too


class Words:
    """The words of a document's lines, in lower case."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        whole = {word for line in lines for word in _WORD.findall(line) if word.islower()}
        self._words = whole | {part for word in whole for part in word.split("-")}

    def joined(self, text: str, line: str) -> str | None:
        """Join two lines if a hyphen ends the first; else return None.

        The hyphen is removed if the joined form is a word of the document or of English. It stays if the document has
        the hyphenated form, if both parts are words, or if a capital follows. If undecided, it is removed.
        """
        if text.endswith(SOFT_HYPHEN):
            return text[:-1] + line
        hyphenated, following = _HYPHENATED.search(text), _FIRST.match(line)
        if hyphenated is None or following is None or following[0] in _SUSPENDED:
            return None
        sign, first = hyphenated.groups()
        return (text[:-1] if self._breaks(sign, first, following[0]) else text) + line

    def _breaks(self, sign: str, first: str, second: str) -> bool:
        whole, parts = first.lower() + second, {first.lower(), second}
        is_acronym = first.isupper() and len(first) > 1
        if first[-1].isdigit() or is_acronym or not second.islower():
            return False
        if f"{first.lower()}-{second}" in self._words:
            return False
        if whole in self._words or whole in _english():
            return True
        if sign or parts <= self._words:
            return False
        return not (first.islower() and parts <= _english())  # nouns of German are in upper case


@cache
def _english() -> frozenset[str]:
    """Return the words in the vocabulary of the spaCy model."""
    return frozenset(
        word
        for path in model_folder(DEFAULT_MODEL).glob("*/vocab/strings.json")
        for word in json.loads(path.read_bytes())
        if len(word) >= _LETTERS and word.isalpha() and word.islower()
    )


_SAME_ROW = 0.5  # share of the lower height that two pieces of a row overlap by
_SAME_WIDTH = 0.02  # share that widths of a letter differ by in one monospaced font
_ALIKE = 0.9  # of the lines that must agree
_TELLING = 6  # letters of a line that tells
_SIZE_STEP = 0.5  # points, to count lines of one size
_SIZE_TOLERANCE = 0.12  # a line's height is that of its letters, not of its font
_STRETCH = 100_000.0  # many times the largest page
_UNSPACED = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")  # kana, ideographs, full width


@dataclass(frozen=True)
class Font:
    """A font as its name describes it; `bold` is medium weight or more, `mono` is fixed pitch."""

    name: str = ""
    bold: bool = False
    italic: bool = False
    mono: bool = False


@dataclass(frozen=True)
class Line:
    """A line of text, or a piece of one.

    Attributes:
        font: Font of most of its letters; bold and monospaced only if all of it is.
        size: Letter height in that font, a proxy of the font size.
        row: Number of the page row; pieces side by side share a row.
        column: Number of the text column, from 0.
        alone: No other short line stands in its row.
    """

    text: str
    box: Box
    page: int
    font: Font = Font()
    size: float = 0.0
    row: int = 0
    column: int = 0
    alone: bool = True

    @property
    def height(self) -> float:
        """Height of the box, never 0."""
        return max(self.box.bottom - self.box.top, 0.1)

    @property
    def width(self) -> float:
        """Width of the box, never 0."""
        return max(self.box.right - self.box.left, 0.1)


@dataclass(frozen=True)
class Body:
    """The usual look of a document's text: line height and font."""

    size: float = 10.0
    font: str = ""
    bold: bool = False
    mono: bool = False


def union(boxes: Iterable[Box]) -> Box:
    """Return the smallest box around all boxes."""
    left, top, right, bottom = zip(*boxes, strict=True)
    return Box(min(left), min(top), max(right), max(bottom))


def turn_of(top: float) -> int:
    """Return the turn of what stands so far below the top of its page."""
    return round(top / _STRETCH)


def turned(corners: Iterable[complex], turn: int, page_side: float) -> Box:
    """Return the box around points that a turn of so many degrees clockwise sets upright.

    `page_side` is the longer side of the page, which turns about the middle of its square.
    """
    box = _turned(corners, turn, page_side)
    return box._replace(top=box.top + turn * _STRETCH, bottom=box.bottom + turn * _STRETCH)


def turned_back(box: Box, page_side: float) -> Box:
    """Return the box on its page of what was turned."""
    turn = turn_of(box.top)
    if not turn:
        return box
    below = complex(0, turn * _STRETCH)
    return _turned((corner - below for corner in corners_of(box)), -turn, page_side)


def corners_of(box: Box) -> list[complex]:
    """Return the corners of a box as points."""
    return [complex(x, y) for x in (box.left, box.right) for y in (box.top, box.bottom)]


def _turned(corners: Iterable[complex], turn: int, page_side: float) -> Box:
    middle = complex(page_side, page_side) / 2
    points = [middle + (corner - middle) * rect(1, radians(turn)) for corner in corners]
    return union(Box(point.real, point.imag, point.real, point.imag) for point in points)


def is_right_to_left(text: str) -> bool:
    """Tell whether the text's first letter belongs to a right-to-left script."""
    letter = next((character for character in text if character.isalpha()), "")
    return bool(letter) and unicodedata.bidirectional(letter) in ("R", "AL")


def is_capitals(text: str) -> bool:
    """Tell whether all letters are upper case; false for scripts without case."""
    return any(map(str.isalpha, text)) and all(map(str.isupper, filter(str.isalpha, text)))


def same_row(first: Box, second: Box) -> bool:
    """Tell whether two boxes stand side by side."""
    shared = min(first.bottom, second.bottom) - max(first.top, second.top)
    lower = min(first.bottom - first.top, second.bottom - second.top)
    return shared >= _SAME_ROW * max(lower, 0.1)


def body_of(lines: Iterable[Line]) -> Body:
    """Return the most frequent font and size of lines; sizes within 12 percent count as equal."""
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
    """Mark pieces as monospaced if their letter widths are equal.

    The parser does not know all fonts. Lines of digits do not count: most fonts have digits of equal width.
    """
    pieces = list(pieces)
    by_font: dict[Font, list[Line]] = defaultdict(list)
    for piece in pieces:
        if sum(map(str.isalpha, piece.text)) >= _TELLING:
            by_font[piece.font].append(piece)
    fixed = {font for font, lines in by_font.items() if _shares_width(lines)}
    return [replace(piece, font=replace(piece.font, mono=True)) if piece.font in fixed else piece for piece in pieces]


def _shares_width(lines: Sequence[Line]) -> bool:
    """Tell whether the mean letter width is the same in all of these lines."""
    widths = {line.text: line.width / len(line.text) for line in lines}
    if len(widths) < 2:
        return False
    usual = median(widths.values())
    alike = sum(abs(width - usual) <= _SAME_WIDTH * usual for width in widths.values())
    return alike >= _ALIKE * len(widths)


def join_lines(lines: Iterable[str], words: Words = Words()) -> str:  # noqa: B008 - never changed
    """Join lines to one text, removing hyphens that broke one of `words` or of English.

    Chinese and Japanese lines are joined without a space.
    """
    text = ""
    for line in lines:
        text = _join(text, line, words) if text and line else text or line
    return text[:-1].replace(SOFT_HYPHEN, "") + text[-1:]  # the text may go on elsewhere


def join_code(lines: Sequence[Line]) -> str:
    """Join lines of code, indented by their position on the page."""
    left = min(line.box.left for line in lines)
    width = max(sum(line.width for line in lines) / sum(len(line.text) for line in lines), 0.1)
    indents = (round((line.box.left - left) / width) for line in lines)
    return "\n".join(" " * indent + line.text for indent, line in zip(indents, lines, strict=True))


def _join(text: str, line: str, words: Words) -> str:
    if (joined := words.joined(text, line)) is not None:
        return joined
    if _UNSPACED.match(text[-1]) and _UNSPACED.match(line[0]):
        return text + line
    return f"{text} {line}"


# Assemble the parser's text pieces into lines of a PDF page.

_OPEN_ROWS = 6  # rows, from the bottom up, that a piece may still belong to
_WORD_GAP = 0.9  # between two pieces of one line
_MARKER_GAP = 4.0  # between a list marker or a section number and its text
_GLUED = 0.12  # between two pieces of one word
_SHORT = 40  # characters of what may be a cell
_EDGE = 3.0  # points, to count lines that are flush
_COLUMN_LINES = 8  # flush lines that a column of text has at least

_MARKER = re.compile(r"[•·●○◦▪■□‣\u2043∙–*✓➢❖\uf0b7\uf0a7-]|[(]?(?:\d{1,2}|[a-z])[.)]|(?:[A-Z]\.)?\d+(?:\.\d+)*\.?")


def rows_of(pieces: Iterable[Line]) -> list[list[Line]]:
    """Group pieces into rows, from top to bottom, each from left to right."""
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
    """Join the pieces of a page to lines."""
    rows = [[_joined(group, number) for group in _groups(row)] for number, row in enumerate(rows_of(pieces))]
    lines = [line for row in rows for line in row]
    shared = Counter(map(_edge, lines))
    return [line if _is_alone(line, row, shared) else replace(line, alone=False) for row in rows for line in row]


def _edge(line: Line) -> int:
    return round(line.box.left / _EDGE)


def _is_alone(line: Line, row: Iterable[Line], shared: Mapping[int, int]) -> bool:
    """Tell whether no other cell stands beside a line; many lines flush left begin a column."""
    return not any(
        other is not line and len(other.text) <= _SHORT and shared[_edge(other)] < _COLUMN_LINES for other in row
    )


def _stands_in(row: Sequence[Line], piece: Line) -> bool:
    box = piece.box
    if not same_row(row[-1].box, box):
        return False
    return not any(
        member.box.left < box.right and box.left < member.box.right and _covers(member, piece) for member in row
    )


def _covers(first: Line, second: Line) -> bool:
    """Tell whether one piece stands above the other: tightly set lines overlap in height."""
    shared = min(first.box.right, second.box.right) - max(first.box.left, second.box.left)
    narrow = first if first.width <= second.width else second
    return shared > 0.5 * narrow.width and len(narrow.text.strip()) > 2


def _groups(row: Sequence[Line]) -> list[list[Line]]:
    groups: list[list[Line]] = []
    for piece in row:
        if groups and _continues(groups[-1], piece):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return groups


def _continues(group: Sequence[Line], piece: Line) -> bool:
    if group[-1].column != piece.column:
        return False
    gap = piece.box.left - max(before.box.right for before in group)
    if gap <= _WORD_GAP * max(group[-1].height, piece.height):
        return True
    is_marker = len(group) == 1 and _MARKER.fullmatch(group[0].text.strip()) is not None
    return is_marker and gap <= _MARKER_GAP * group[0].height


def _joined(group: Sequence[Line], row: int) -> Line:
    weights = [sum(map(str.isalpha, piece.text)) for piece in group]
    main = group[max(range(len(group)), key=lambda index: weights[index])]
    said = [piece for piece, weight in zip(group, weights, strict=True) if weight > 2] or [main]
    font = replace(main.font, bold=all(piece.font.bold for piece in said), mono=all(piece.font.mono for piece in said))
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
