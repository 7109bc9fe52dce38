"""Detect text columns on a PDF page by the blank space between them.

A gutter is recognized by blank space over many lines, not by its width alone. Lengths are points from the top left of a
page; factors are in line heights.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from graphrag_tasks.parse.pdf.lines import Line, body_of, union
from graphrag_tasks.parse.pdf.rows import rows_of

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
