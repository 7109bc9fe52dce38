"""Find tables on a PDF page: inside drawn lines, or from aligned words.

Words are used, because the parser's lines run across the columns of narrow tables. Lengths are points from the top left
of a page; factors are in line heights.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from graphrag_tasks.parse.blocks import Box
from graphrag_tasks.parse.pdf.grids import Grid, columns_of, is_text, make_grid, rivers, row_bounds, segments
from graphrag_tasks.parse.pdf.lines import Line, body_of, rows_of, union

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


_MIN_WORDS, _MAX_WORDS = 6, 20_000  # of a page; more are a drawing
_MAX_COLUMNS = 24  # more are a drawing, or letters that stand apart
_MIN_CELLS = 4  # with text; fewer are a frame
_MIN_FILLED = 0.42  # share of a ruled table's cells that have text
_MIN_ALIGNED = 0.66  # the same where words alone tell
_LONG = 40  # characters of a mean cell, beyond which lines of prose are the likelier reading
_SHORT, _PAIR = 26, 34  # characters of a mean cell, and of the longer one of two
_ROW_GAP = 1.8  # between two rows of a table without lines
_WIDE = 2  # places between columns, from which cells with text that runs on are those of a table
_OPEN_TOP = 5.0  # above the first line across, whose rows are shaded instead of drawn
_PAGE_SHARE = 0.97  # of the page's height: a frame around the page is no table

_CAPTION_GAP = 3.0  # between a figure and its caption
_FIGURE = re.compile(r"(?:fig(?:ure|ura|\.)?|abb(?:ildung|\.))\s*[A-Z]?\d", re.IGNORECASE)
_MARKER = re.compile(r"[^\w\s]|[(]?(?:\d{1,2}|[a-z])[.)]|\d+(?:\.\d+)*\.?")
_DOT_LEADER = re.compile(r"(?:\.\s?){4,}\s*[\divxl]+$")


def find_tables(words: Sequence[Line], shapes: Iterable[Box], width: float, height: float) -> list[Grid]:
    """Return the tables of a page."""
    if not _MIN_WORDS <= len(words) <= _MAX_WORDS:
        return []
    size = body_of(words).size
    rows = [[replace(word, row=number) for word in row] for number, row in enumerate(rows_of(words))]
    tables: list[Grid] = []
    for area in ruled_areas(shapes, width, height):
        if area.box.bottom - area.box.top > _PAGE_SHARE * height:
            continue
        free = _outside(rows, tables)
        table = _ruled_table([word for row in free for word in row], area, size)
        if table is not None and (area.down or not _is_figure(table, rows)):
            tables.append(table)
    free = _outside(rows, tables)
    for column in columns_of(free, size):
        for found in _aligned_tables(column, size):
            table = _completed(found, column, free, size)
            if table is not None and not _is_figure(table, rows) and not _overlaps(table, tables):
                tables.append(table)
    return tables


def _completed(
    table: Grid, column: Sequence[Sequence[Line]], rows: Sequence[Sequence[Line]], size: float
) -> Grid | None:
    """Complete the table with other words in its box: cells may lie beyond a gutter."""
    inside = [[word for word in row if contains(table.box, word)] for row in rows]
    if sum(map(len, inside)) == sum(contains(table.box, word) for row in column for word in row):
        return table
    return _aligned_table([segments(row, size) for row in inside if row], size)


def _overlaps(table: Grid, others: Iterable[Grid]) -> bool:
    box = table.box
    return any(
        box.left < other.box.right
        and other.box.left < box.right
        and box.top < other.box.bottom
        and other.box.top < box.bottom
        for other in others
    )


def _is_figure(table: Grid, rows: Iterable[Sequence[Line]]) -> bool:
    """Tell whether the caption below calls it a figure, so that its words label a drawing."""
    box, reach = table.box, _CAPTION_GAP * table.size
    below = ([word for word in row if word.box.left < box.right and word.box.right > box.left] for row in rows)
    caption = next((row for row in below if row and row[0].box.top >= box.bottom - 2), None)
    if caption is None or caption[0].box.top > box.bottom + reach:
        return False
    return _FIGURE.match(" ".join(word.text for word in caption)) is not None


def contains(box: Box, line: Line) -> bool:
    """Tell whether the line's middle lies in the box."""
    across, down = (line.box.left + line.box.right) / 2, (line.box.top + line.box.bottom) / 2
    return box.left - 3 <= across <= box.right + 3 and box.top - 2 <= down <= box.bottom + 2


def _outside(rows: Iterable[Sequence[Line]], tables: Sequence[Grid]) -> list[list[Line]]:
    free = ([word for word in row if not any(contains(table.box, word) for table in tables)] for row in rows)
    return [row for row in free if row]


def _ruled_table(words: Iterable[Line], area: RuledArea, size: float) -> Grid | None:
    inside = [
        word
        for word in words
        if contains(area.box, word) and word.box.left > area.box.left - 6 and word.box.right < area.box.right + 6
    ]
    row_count = len({word.row for word in inside})
    if len(inside) < _MIN_CELLS or row_count < 2:
        return None
    inner = [at for at in clusters(area.down, 4) if area.box.left + 5 < at < area.box.right - 5]
    parts = segments(inside, size, inner)
    columns = inner or rivers(parts, size)
    if not 1 <= len(columns) <= _MAX_COLUMNS:
        return None
    if not inner and (_mean_length(parts) > _LONG or all(part.font.mono for part in parts)):
        return None
    between = [at for at in area.across if area.box.top + 2 < at < area.box.bottom - 2]
    is_drawn = bool(inner) and (len(between) >= 3 or len(between) >= 0.34 * row_count)
    if is_drawn and area.across[0] - area.box.top > _OPEN_TOP:
        head = [part for part in parts if part.box.bottom < area.across[0]]
        between = [*row_bounds(head, columns[0], len(columns) + 1, size), *between]
    table = make_grid(area.box, parts, columns, between if is_drawn else (), size)
    if table is not None and not is_drawn and is_text(table):
        is_wide = between and len(columns) >= _WIDE
        table = make_grid(area.box, parts, columns, between, size) if is_wide else None
    if table is None or len(table.cells) < _MIN_CELLS:
        return None
    return table if len(table.cells) >= _MIN_FILLED * table.rows * table.columns else None


def _aligned_tables(rows: Sequence[Sequence[Line]], size: float) -> Iterator[Grid]:
    for run in _runs(rows, size):
        table = _aligned_table(run, size)
        if table is not None:
            yield table


def _runs(rows: Sequence[Sequence[Line]], size: float) -> Iterator[list[list[Line]]]:
    run: list[list[Line]] = []
    for row in rows:
        parts = segments(row, size)
        is_close = bool(run) and _gap(run[-1], parts) < _ROW_GAP * size
        if is_close and (_is_table_row(parts) or _is_rest(parts, run, size)):
            run.append(parts)
            continue
        yield run
        run = [parts] if _is_table_row(parts) else []
    yield run


def _gap(above: Iterable[Line], below: Iterable[Line]) -> float:
    return min(part.box.top for part in below) - max(part.box.bottom for part in above)


def _is_table_row(parts: Sequence[Line]) -> bool:
    if len(parts) >= 3:
        return _mean_length(parts) <= _SHORT
    if len(parts) < 2 or max(len(part.text) for part in parts) > _PAIR:
        return False
    return _MARKER.fullmatch(parts[0].text) is None


def _is_rest(parts: Sequence[Line], run: Sequence[Sequence[Line]], size: float) -> bool:
    """Tell whether these are second lines of the cells above."""
    if len(run) < 2 or len(parts) > 2 or sum(len(part.text) for part in parts) >= _LONG:
        return False
    return min(part.box.left for part in parts) > run[0][0].box.left + 0.5 * size


def _aligned_table(run: Sequence[Sequence[Line]], size: float) -> Grid | None:
    if len(run) < 3:
        return None
    parts = [part for row in run for part in row]
    if all(part.font.mono for part in parts):
        return None  # code, aligned by its author
    places = rivers(parts, size)
    columns = len(places) + 1
    if not 2 <= columns <= _MAX_COLUMNS or len(parts) < _MIN_ALIGNED * columns * len(run):
        return None
    if columns == 2 and not _is_list_of_pairs(run):
        return None
    leaders = sum(bool(_DOT_LEADER.search(" ".join(part.text for part in row))) for row in run)
    if leaders > len(run) / 3:
        return None
    table = make_grid(union(part.box for part in parts), parts, places, (), size)
    return None if table is None or is_text(table) else table


def _is_list_of_pairs(run: Sequence[Sequence[Line]]) -> bool:
    """Tell whether rows of two cells are pairs: many rows, or mostly numbers."""
    if len(run) < 4 or any(len(row) >= 3 for row in run):
        return False
    parts = [part for row in run for part in row]
    numbers = sum(any(map(str.isdigit, part.text)) for part in parts) / len(parts)
    return numbers >= 0.3 or len(run) >= 5


def _mean_length(parts: Sequence[Line]) -> float:
    return sum(len(part.text) for part in parts) / len(parts)
