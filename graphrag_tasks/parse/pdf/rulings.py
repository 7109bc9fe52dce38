"""Find areas of a PDF page that drawn lines mark as tables.

Crossing lines make a grid; parallel horizontal lines of equal extent make an open table, as typography calls it (rules
above, below and under the header).

Lengths are points from the top left of a page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graphrag_tasks.parse.blocks import Box

_THICK = 3.0  # the most that counts as a line
_MIN_ACROSS, _MIN_DOWN = 12.0, 6.0  # points that a line has at least
_SAME_LINE = 1.6  # between the positions of the parts of one line
_PART_GAP = 8.0  # between two parts of one line
_REACH = 3.0  # that lines may miss each other by and still meet
_SAME_EXTENT = 8.0  # between the ends of an open table's lines
_MAX_LINES = 400  # of each direction that are looked at: drawings have thousands
_MIN_SHARE = 0.3  # of a grid's width that a line between two of its rows takes
_MIN_DEPTH = 0.35  # of a grid's height that a line between two of its columns takes
_MIN_WIDTH = 0.12  # of the page that an open table takes
_MAX_GAP = 0.3  # of the page between two lines of an open table


class _Ruling(NamedTuple):
    at: float
    start: float
    end: float

    @property
    def length(self) -> float:
        return self.end - self.start


@dataclass(frozen=True)
class RuledArea:
    """Area of a possible table, with positions of horizontal and vertical lines.

    An open table has no vertical lines.
    """

    box: Box
    across: Sequence[float]
    down: Sequence[float] = ()


def ruled_areas(shapes: Iterable[Box], width: float, height: float) -> list[RuledArea]:
    """Return the ruled areas: grids before open tables, each from large to small."""
    across, down = _rulings(shapes)
    areas: list[RuledArea] = []
    lone: list[_Ruling] = []
    for rows, columns in _connected(across, down):
        grid = _grid(rows, columns)
        if grid is None:
            lone.extend(rows)
        else:
            areas.append(grid)
    areas.extend(_open_tables(lone, width, height))
    return sorted(areas, key=lambda area: (not area.down, -_surface(area.box), area.box))


def clusters(values: Iterable[float], tolerance: float) -> list[float]:
    """Return the means of groups of values that are within the tolerance of their neighbours."""
    groups: list[list[float]] = []
    for value in sorted(values):
        if groups and value - groups[-1][-1] <= tolerance:
            groups[-1].append(value)
        else:
            groups.append([value])
    return [sum(group) / len(group) for group in groups]


def _surface(box: Box) -> float:
    return (box.right - box.left) * (box.bottom - box.top)


def _rulings(shapes: Iterable[Box]) -> tuple[list[_Ruling], list[_Ruling]]:
    across: list[_Ruling] = []
    down: list[_Ruling] = []
    for box in shapes:
        left, right = sorted((box.left, box.right))
        top, bottom = sorted((box.top, box.bottom))
        if bottom - top <= _THICK and right - left >= _MIN_ACROSS:
            across.append(_Ruling((top + bottom) / 2, left, right))
        elif right - left <= _THICK and bottom - top >= _MIN_DOWN:
            down.append(_Ruling((left + right) / 2, top, bottom))
    return _whole(across)[:_MAX_LINES], _whole(down)[:_MAX_LINES]


def _whole(parts: Iterable[_Ruling]) -> list[_Ruling]:
    whole: list[_Ruling] = []
    for part in sorted(parts, key=lambda part: (round(part.at / _SAME_LINE), part.start)):
        last = whole[-1] if whole else None
        is_near = last is not None and abs(last.at - part.at) <= _SAME_LINE
        if last is not None and is_near and part.start <= last.end + _PART_GAP:
            whole[-1] = last._replace(end=max(last.end, part.end))
        else:
            whole.append(part)
    return whole


def _connected(across: Sequence[_Ruling], down: Sequence[_Ruling]) -> list[tuple[list[_Ruling], list[_Ruling]]]:
    """Group lines that meet, each group as its rows and columns."""
    parents = list(range(len(across) + len(down)))

    def root(node: int) -> int:
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    for number, row in enumerate(across):
        for other, column in enumerate(down, len(across)):
            if _meet(row, column):
                parents[root(number)] = root(other)
    groups: dict[int, tuple[list[_Ruling], list[_Ruling]]] = defaultdict(lambda: ([], []))
    for number, row in enumerate(across):
        groups[root(number)][0].append(row)
    for number, column in enumerate(down, len(across)):
        groups[root(number)][1].append(column)
    return list(groups.values())


def _meet(row: _Ruling, column: _Ruling) -> bool:
    beside = row.start - _REACH <= column.at <= row.end + _REACH
    return beside and column.start - _REACH <= row.at <= column.end + _REACH


def _grid(rows: Sequence[_Ruling], columns: Sequence[_Ruling]) -> RuledArea | None:
    across = clusters((row.at for row in rows), _REACH)
    down = clusters((column.at for column in columns), _REACH)
    if len(across) < 2 or not down or (len(across) < 3 and len(down) < 3):
        return None
    left = min(down[0], *(row.start for row in rows))
    right = max(down[-1], *(row.end for row in rows))
    top = min(across[0], *(column.start for column in columns))
    bottom = max(across[-1], *(column.end for column in columns))
    least = _MIN_SHARE * (right - left)
    across = [at for at in across if sum(row.length for row in rows if abs(row.at - at) <= _REACH) >= least]
    if len(across) < 2:
        return None
    least = _MIN_DEPTH * (bottom - top)
    down = [at for at in down if sum(column.length for column in columns if abs(column.at - at) <= _REACH) >= least]
    return RuledArea(Box(left, top, right, bottom), across, down or [left])


def _open_tables(lone: Iterable[_Ruling], width: float, height: float) -> list[RuledArea]:
    areas: list[RuledArea] = []
    waiting = sorted(ruling for ruling in lone if ruling.length >= _MIN_WIDTH * width)
    while waiting:
        group, rest = [waiting[0]], []
        for ruling in waiting[1:]:
            aside = max(abs(ruling.start - group[0].start), abs(ruling.end - group[0].end))
            if aside < _SAME_EXTENT and ruling.at - group[-1].at < _MAX_GAP * height:
                group.append(ruling)
            else:
                rest.append(ruling)
        across = clusters((ruling.at for ruling in group), _REACH)
        if len(across) >= 2 and across[-1] - across[0] > _MIN_ACROSS:
            box = Box(group[0].start, across[0], group[0].end, across[-1])
            areas.append(RuledArea(box, across))
        waiting = rest
    return areas
