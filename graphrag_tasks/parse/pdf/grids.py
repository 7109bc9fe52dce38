"""Arrange the words of a PDF page into columns of text and into table cells.

Lengths are points from the top left of a page; factors are in line heights.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from graphrag_tasks.parse.blocks import Box
from graphrag_tasks.parse.pdf.lines import Line, body_of, is_right_to_left, join_lines, rows_of, union

_GUTTERS = range(30, 71)  # percent of the width of the text where a gutter may lie
_MAX_SPLITS = 2  # of the page into columns, of these into columns
_GUTTER_WIDTH = 0.5  # sizes of the body, at least: a blank between words is a quarter of one
_COLUMN_TEXT = 18  # characters of a row on one side that make it text of a column
_COLUMN_ROWS = 8  # with text on each side, at least
_FEW_ROWS = 4  # the same where no row at all crosses
_MAX_CROSSING = 0.35  # share of the rows that cross a gutter: headings, wide tables


def in_columns(words: Sequence[Line]) -> list[Line]:
    """Number words by text column, from 0."""
    found = columns_of(rows_of(words), body_of(words).size)
    places = {id(word): number for number, rows in enumerate(found) for row in rows for word in row}
    return [replace(word, column=places[id(word)]) if places.get(id(word)) else word for word in words]


def columns_of(rows: Sequence[list[Line]], size: float, splits: int = _MAX_SPLITS) -> list[list[list[Line]]]:
    """Return the rows of each text column; a row that crosses the gutter belongs to the first."""
    gutter = _gutter(rows, size) if rows and splits else None
    if gutter is None:
        return [list(rows)]
    first: list[list[Line]] = []
    second: list[list[Line]] = []
    for row in rows:
        left = [word for word in row if word.box.right <= gutter]
        right = [word for word in row if word.box.left >= gutter]
        if len(left) + len(right) < len(row):
            left, right = list(row), []
        first.append(left)
        second.append(right)
    halves = ([row for row in half if row] for half in (first, second))
    return [column for half in halves for column in columns_of(half, size, splits - 1)]


class _Blank(NamedTuple):
    """A blank stretch of a row, with the number of characters left and right of it."""

    start: float
    end: float
    left: int
    right: int


def _gutter(rows: Sequence[Sequence[Line]], size: float) -> float | None:
    best: tuple[int, float] | None = None
    around = union(word.box for row in rows for word in row)
    width = around.right - around.left
    places = [around.left + width * percent / 100 for percent in _GUTTERS]
    at: list[list[_Blank]] = [[] for _ in places]
    for blank in (blank for row in rows for blank in _blanks(row, size)):
        for number in range(bisect_right(places, blank.start), bisect_left(places, blank.end)):
            at[number].append(blank)
    for place, blanks in zip(places, at, strict=True):
        crossing = len(rows) - len(blanks)
        left = sum(blank.left > _COLUMN_TEXT for blank in blanks)
        right = sum(blank.right > _COLUMN_TEXT for blank in blanks)
        least = min(left, right)
        enough = _COLUMN_ROWS if crossing else _FEW_ROWS
        if least < enough or least <= crossing or crossing > _MAX_CROSSING * len(rows):
            continue
        if best is None or crossing < best[0]:
            best = (crossing, place)
    return best[1] if best else None


def _blanks(row: Sequence[Line], size: float) -> list[_Blank]:
    total, passed = sum(len(word.text) for word in row), 0
    right = float("-inf")
    blanks: list[_Blank] = []
    for word in row:
        if word.box.left - right >= _GUTTER_WIDTH * size:
            blanks.append(_Blank(right, word.box.left, passed, total - passed))
        right, passed = max(right, word.box.right), passed + len(word.text)
    return [*blanks, _Blank(right, float("inf"), total, 0)]


_WORD_GAP = 0.62  # between two words of one cell
_RIVER = 0.45  # width of the blank space between two columns
_CROSSING = 0.12  # share of the rows that may cross it: headers of several columns
_MIN_FILLED = 0.3  # share of the rows that have text in a column
_WRAPPED = 0.45  # between the lines of one cell
_INSIDE = 0.15  # share of a segment's width that may stick out of its column
_RUN_ON_LINES, _RUN_ON_SHARE = 3, 0.25  # of a column that is text, at least
_BULLET = re.compile(r"[•‣▪●○◦■□▶➢]\s")
_OPEN_END = re.compile(r"\b(?:a|an|and|as|at|by|for|from|in|into|of|on|or|the|to|with)$")
_MAX_CELLS = 20_000  # of a page's table; more are a drawing


@dataclass(frozen=True)
class Cell:
    """A cell: row, first and last column from 0, text and box."""

    row: int
    first: int
    last: int
    text: str
    box: Box


@dataclass(frozen=True)
class Grid:
    """A table grid: its box, number of rows and columns, and non-empty cells.

    `has_header`: the first row names the columns; `size` is the typical word height.
    """

    box: Box
    rows: int
    columns: int
    cells: Sequence[Cell]
    has_header: bool
    size: float


def segments(words: Iterable[Line], size: float, edges: Sequence[float] = ()) -> list[Line]:
    """Join neighbouring words of each row, unless a vertical line separates them.

    `size` is the line height; `edges` are the positions of vertical lines.
    """
    joined: list[Line] = []
    columns: list[int] = []
    for word in sorted(words, key=lambda word: (word.row, word.box.left)):
        column = sum(edge < (word.box.left + word.box.right) / 2 for edge in edges)
        last = joined[-1] if joined and joined[-1].row == word.row else None
        gap = word.box.left - last.box.right if last else 0.0
        near = gap < _WORD_GAP * min(max(word.height, last.height if last else 0), 1.2 * size)
        if last and (columns[-1] == column if edges else near):
            thinner = last.font.bold and not word.font.bold
            font = replace(last.font, bold=False) if thinner else last.font
            text = f"{last.text} {word.text}"
            if is_right_to_left(word.text):
                text = f"{word.text} {last.text}"
            joined[-1] = replace(last, text=text, box=union((last.box, word.box)), font=font)
        else:
            joined.append(word)
            columns.append(column)
    return joined


def rivers(parts: Sequence[Line], size: float) -> list[float]:
    """Return the positions of blank space between columns, from the left."""
    rows = {part.row for part in parts}
    if len(rows) < 2:
        return []
    allowed = max(1, int(_CROSSING * len(rows))) if len(rows) >= 4 else 0
    found = [
        (start + end) / 2
        for start, end in _blank(parts, allowed)
        if end - start >= _RIVER * size
        and any(part.box.right <= (start + end) / 2 for part in parts)
        and any(part.box.left >= (start + end) / 2 for part in parts)
    ]
    return _without_empty_columns(found, parts, len(rows)) if len(rows) >= 4 else found


def make_grid(
    box: Box, parts: Sequence[Line], columns: Sequence[float], rows: Sequence[float], size: float
) -> Grid | None:
    """Arrange segments into a grid; None if they do not form a table.

    `columns` and `rows` are the positions of the boundaries; without `rows`, these are detected.
    """
    between = list(rows) or row_bounds(parts, columns[0], len(columns) + 1, size)
    row_count, column_count = len(between) + 1, len(columns) + 1
    if row_count < 2 or column_count < 2 or row_count * column_count > _MAX_CELLS:
        return None
    cells = _cells(parts, columns, between)
    heights = sorted(part.height for part in parts)
    return Grid(
        box=box,
        rows=row_count,
        columns=column_count,
        cells=[_cell(place, members) for place, members in cells],
        has_header=_has_header(cells, column_count),
        size=heights[len(heights) // 2],
    )


def row_bounds(parts: Iterable[Line], first: float, columns: int, size: float) -> list[float]:
    """Return the row boundaries; a row without a first cell continues the row above."""
    by_row: dict[int, list[Line]] = defaultdict(list)
    for part in parts:
        by_row[part.row].append(part)
    merged: list[list[Line]] = []
    for row in sorted(by_row.values(), key=lambda row: min(part.box.top for part in row)):
        goes_on = all(part.box.left >= first for part in row) and len(row) <= max(1, columns // 2)
        if merged and goes_on:
            gap = min(part.box.top for part in row) - max(part.box.bottom for part in merged[-1])
            goes_on = gap < _WRAPPED * size
        if merged and goes_on:
            merged[-1].extend(row)
        else:
            merged.append(list(row))
    return [
        (max(part.box.bottom for part in above) + min(part.box.top for part in below)) / 2
        for above, below in pairwise(merged)
    ]


def is_text(table: Grid) -> bool:
    """Tell whether the columns of an undrawn table are columns of running text.

    In those, lines run on from one cell to the next, or bullets begin lines, in several columns.
    """
    columns: dict[int, list[str]] = defaultdict(list)
    for cell in table.cells:
        columns[cell.first].append(cell.text)
    prose = (
        sum(map(_runs_on, texts, texts[1:])) >= max(_RUN_ON_LINES, _RUN_ON_SHARE * len(texts))
        or sum(_BULLET.match(text) is not None for text in texts) >= _RUN_ON_LINES
        for texts in columns.values()
    )
    return sum(prose) >= min(2, len(columns))


def _runs_on(line: str, below: str) -> bool:
    return _OPEN_END.search(line) is not None or (line[-1:].isalpha() and below[:1].islower())


def _blank(parts: Iterable[Line], allowed: int) -> list[tuple[float, float]]:
    """Return the blank stretches that at most `allowed` segments cross."""
    steps = sorted([(part.box.left, 1) for part in parts] + [(part.box.right, -1) for part in parts])
    blank: list[tuple[float, float]] = []
    crossing, start = 0, None
    for place, step in steps:
        before, crossing = crossing, crossing + step
        if before > allowed >= crossing:
            start = place
        elif before <= allowed < crossing and start is not None:
            blank.append((start, place))
            start = None
    return blank


def _without_empty_columns(found: list[float], parts: Sequence[Line], rows: int) -> list[float]:
    while found:
        edges = [float("-inf"), *found, float("inf")]
        filled = [_rows_between(parts, left, right) for left, right in pairwise(edges)]
        emptiest = min(range(len(filled)), key=lambda column: filled[column])
        if filled[emptiest] >= _MIN_FILLED * rows:
            break
        to_left = emptiest > 0 and (emptiest == len(found) or filled[emptiest - 1] <= filled[emptiest + 1])
        found = [place for index, place in enumerate(found) if index != emptiest - to_left]
    return found


def _rows_between(parts: Iterable[Line], left: float, right: float) -> int:
    return len({part.row for part in parts if left <= _middle(part) < right})


def _middle(part: Line) -> float:
    return (part.box.left + part.box.right) / 2


_Place = tuple[int, int, int]


def _cells(parts: Iterable[Line], columns: Sequence[float], rows: Sequence[float]) -> list[tuple[_Place, list[Line]]]:
    by_row: dict[int, list[tuple[int, int, Line]]] = defaultdict(list)
    for part in parts:
        middle = (part.box.top + part.box.bottom) / 2
        inside = _INSIDE * part.width
        first = sum(place < part.box.left + inside for place in columns)
        last = max(first, sum(place < part.box.right - inside for place in columns))
        by_row[sum(place < middle for place in rows)].append((first, last, part))
    cells: list[tuple[_Place, list[Line]]] = []
    for row in sorted(by_row):
        for first, last, part in sorted(by_row[row], key=lambda item: (item[0], -item[1])):
            if cells and cells[-1][0][0] == row and first <= cells[-1][0][2]:
                place, members = cells[-1]
                cells[-1] = ((row, place[1], max(place[2], last)), [*members, part])
            else:
                cells.append(((row, first, last), [part]))
    return cells


def _cell(place: _Place, members: Iterable[Line]) -> Cell:
    ordered = sorted(members, key=lambda part: (part.row, part.box.left))
    text = join_lines([part.text for part in ordered])
    return Cell(*place, text, union(part.box for part in ordered))


def _has_header(cells: Sequence[tuple[_Place, list[Line]]], columns: int) -> bool:
    """Tell whether the first row names the columns.

    In tables of three or more columns it does, unless it has numbers where the other rows have none. In tables of two
    columns, which may be names and values, its font must differ.
    """
    first = [members for place, members in cells if place[0] == 0]
    others = [members for place, members in cells if place[0] > 0]
    if len(first) < 2 or not others:
        return False
    if _share(first, _is_bold) == 1 and _share(others, _is_bold) < 0.9:
        return True
    if columns == 2:
        return _share(first, _has_digit) == 0 and _share(others, _has_digit) >= 0.4
    return _share(first, _has_digit) < 0.7


def _share(cells: Sequence[list[Line]], test: Callable[[Line], bool]) -> float:
    return sum(all(map(test, members)) for members in cells) / len(cells)


def _is_bold(part: Line) -> bool:
    return part.font.bold


def _has_digit(part: Line) -> bool:
    return any(map(str.isdigit, part.text))
