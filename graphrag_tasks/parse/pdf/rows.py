"""Assemble the parser's text pieces into lines of a PDF page.

Lengths are points from the top left of a page; factors are in line heights.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from graphrag_tasks.parse.pdf.lines import Line, is_right_to_left, same_row, union

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
