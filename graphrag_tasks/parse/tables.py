"""Lay out tables as text, below their title and header rows: each line can be read on its own.

A row becomes `Header: value Header: value`, so that a chunk, which ends between lines, never holds values without their
headers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, pairwise, takewhile
from operator import attrgetter
from typing import Any, NamedTuple

import igraph

from graphrag_tasks.core.schemas import CELL_SEPARATOR
from graphrag_tasks.parse.values import Value, value_of

HEADER_SEPARATOR = ": "
_LABEL_GAP = " "  # between a label and its value in a form
_HEADER_LEVELS = " "  # between the texts of a header of several rows


class Cell(NamedTuple):
    """A table cell: first row and column from 0, spans, text on one line.

    `value` is the value that the format stores; None if the text alone shows it.
    """

    row: int
    column: int
    text: str
    row_span: int = 1
    col_span: int = 1
    is_header: bool = False
    is_row_header: bool = False
    value: Value | None = None


_OF_CELL = ("row", "column", "row_span", "col_span", "is_header", "is_row_header", "text")
CELL_COLUMNS = (*_OF_CELL, "value_type", "number", "iso", "start", "end")
"""Columns of `Table.cells`; `start` and `end` count characters of the table's text, or are None."""


@dataclass(frozen=True)
class Table:
    """The cells of a table, by column: some tables have millions.

    Attributes:
        cells: A list for each of `CELL_COLUMNS`, of equal length, in reading order.
        headers: For each column, the texts of its header cells, outermost first.
        sheet: Name of its sheet.
        origin: Row and column, from 1, of its first cell on that sheet.
        repeats: Whether it repeats other tables' data, as a chart does; `cells` is then left out.
    """

    cells: Mapping[str, Sequence[Any]]
    headers: Mapping[int, str]
    sheet: str | None = None
    origin: tuple[int, int] | None = None
    repeats: bool = False

    def __len__(self) -> int:
        return len(self.cells["row"])

    def first(self, count: int) -> Table:
        """Return the table with only its first `count` cells."""
        return replace(self, cells={name: values[:count] for name, values in self.cells.items()})


def lay_out_table(
    cells: Iterable[Cell], *, sheet: str | None = None, origin: tuple[int, int] | None = None
) -> tuple[str, Table]:
    """Return a table's text, and its cells with their spans in it.

    Empty cells are left out. A cell over several rows is repeated in each and has the first place; one over several
    columns appears once, without a header if theirs differ. Headers of empty columns follow the rows. A table that is
    all header, or has none, is written without headers.
    """
    filled = [cell for cell in cells if cell.text]
    writer = _Writer(_rows(filled))
    text = writer.write()
    filled.sort(key=lambda cell: cell[:2])
    return text, Table(_columns(filled, writer.places), writer.headers, sheet, origin)


def header_above(headers: Mapping[int, str], column: int, col_span: int) -> str | None:
    """Return the header shared by a cell's columns, or None."""
    found = {headers[at] for at in range(column, column + col_span) if at in headers}
    return found.pop() if len(found) == 1 else None


def _rows(cells: Iterable[Cell]) -> list[list[Cell]]:
    rows: dict[int, list[Cell]] = defaultdict(list)
    for cell in cells:
        for row in range(cell.row, cell.row + cell.row_span):
            rows[row].append(cell)
    return [sorted(rows[row], key=lambda cell: cell.column) for row in sorted(rows)]


class _Writer:
    """Writes rows and records where each cell begins.

    `headers` is empty if no rows are below the header; `places` holds each cell's first character.
    """

    def __init__(self, rows: Sequence[Sequence[Cell]]) -> None:
        are_headers = [all(cell.is_header for cell in row) for row in rows]
        top = are_headers.index(False) if False in are_headers else len(rows)
        body = [row for row, is_header in zip(rows, are_headers, strict=True) if not is_header]
        has_header = 0 < top < len(rows)
        self._body = body if has_header else rows
        self.headers: dict[int, str] = {}
        self.places: dict[tuple[int, int], int] = {}
        self._unplaced: dict[int, list[tuple[Cell, int]]] = {}
        if has_header:
            self._name_columns(rows[:top])

    def _name_columns(self, header: Sequence[Sequence[Cell]]) -> None:
        """Join the distinct header texts of each column, and record their positions."""
        parts: dict[int, dict[str, int]] = defaultdict(dict)
        cells: dict[int, list[tuple[Cell, int]]] = defaultdict(list)
        for row in header:
            for cell in row:
                for column in range(cell.column, cell.column + cell.col_span):
                    texts = parts[column]
                    if cell.text not in texts:
                        texts[cell.text] = sum(map(len, texts)) + len(texts) * len(_HEADER_LEVELS)
                    cells[column].append((cell, texts[cell.text]))
        self.headers = {column: _HEADER_LEVELS.join(texts) for column, texts in parts.items()}
        self._unplaced = dict(cells)

    def write(self) -> str:
        """Return the text of all rows; header cells that no row shows come last."""
        lines: list[str] = []
        start = 0
        for row in self._body:
            lines.append(self._line(row, start, self.headers))
            start += len(lines[-1]) + 1
        named = {cell[:2]: cell for cells in self._unplaced.values() for cell, _ in cells}
        rest = [cell for place, cell in sorted(named.items()) if place not in self.places]
        return "\n".join([*lines, self._line(rest, start, {})] if rest else lines)

    def _line(self, row: Sequence[Cell], start: int, headers: Mapping[int, str]) -> str:
        line = ""
        for cell in row:
            if line:
                gap = _LABEL_GAP if not self.headers and line.endswith(":") else CELL_SEPARATOR
                line, start = line + gap, start + len(gap)
            if header := header_above(headers, cell.column, cell.col_span):
                for column in range(cell.column, cell.column + cell.col_span):
                    for above, offset in self._unplaced.pop(column, ()):
                        self.places.setdefault(above[:2], start + offset)
                start += len(header) + len(HEADER_SEPARATOR)
                line += f"{header}{HEADER_SEPARATOR}"
            self.places.setdefault(cell[:2], start)
            line, start = line + cell.text, start + len(cell.text)
        return line


def _columns(cells: Sequence[Cell], places: Mapping[tuple[int, int], int]) -> dict[str, Sequence[Any]]:
    values = [value_of(cell.text) if cell.value is None else cell.value for cell in cells]
    starts = [places.get(cell[:2]) for cell in cells]
    return {
        **{name: list(map(attrgetter(name), cells)) for name in _OF_CELL},
        "value_type": [value.type for value in values],
        "number": [value.number for value in values],
        "iso": [value.iso for value in values],
        "start": starts,
        "end": [None if start is None else start + len(cell.text) for cell, start in zip(cells, starts, strict=True)],
    }


# Detect title rows and header rows on top of a table, if the format does not mark them.

SAMPLE_ROWS = 100  # of a table, by which its header is told
_MIN_COLUMNS = 2  # fewest cells in each row of a table whose first row may be a header
_LOOKED_AT = 50  # rows below a header; enough to know a column's type
_MAX_TITLES = 5  # rows above the header; chosen
_MAX_HEADERS = 4  # rows of a header; chosen
_MOST = 0.7  # share of a column's cells that give it its type
_LONGEST_NAME = 80  # characters of a column's name; a longer text is prose
_MUCH_LONGER = 2  # times: what texts below are than a header that nothing else tells
_LEAST_OF_LABELS = 0.3  # share of the cells of a form that are labels: half, but for those of several values
_YEARS = range(1900, 2101)  # numbers that name columns, as in tables by year

Rows = Sequence[Sequence[Cell]]  # The non-empty cells of each non-empty row.


class Top(NamedTuple):
    """Number of title rows, and of header rows below them."""

    titles: int
    headers: int

    def body(self, rows: Rows, left: int = 0) -> list[Cell]:
        """Return the cells below the titles, renumbered from there and from column `left`."""
        below = rows[self.titles :]
        top = below[0][0].row if below else 0
        return [
            cell._replace(row=cell.row - top, column=cell.column - left, is_header=is_header)
            for number, row in enumerate(below)
            for is_header in (number < self.headers,)
            for cell in row
        ]


def find_header(
    rows: Rows, is_marked: Callable[[Sequence[Cell]], bool] = lambda _: False, *, is_likely: bool = True
) -> Top:
    """Detect titles and headers in the first `SAMPLE_ROWS` rows of a table.

    `is_marked` tells whether a row is formatted as a header, such as in bold type. If `is_likely` is false, a row of
    texts above texts is a header only if it is much shorter.
    """
    rows = rows[:SAMPLE_ROWS]
    titles = _count_titles(rows)
    return Top(titles, _count_headers(rows[titles:], is_marked, is_likely))


def with_headers(cells: Iterable[Cell]) -> list[Cell]:
    """Return the non-empty cells of a table, those of the header rows marked.

    A first row of header cells with an empty corner is a header, although its cells may be marked as those of rows.
    Without marked headers, as in many HTML tables, headers are detected from the texts. A form, whose labels stand
    beside their values, has none.
    """
    filled = sorted((cell for cell in cells if cell.text), key=attrgetter("row"))
    rows = [list(row) for _, row in groupby(filled, attrgetter("row"))]
    if _is_form(rows):
        return [cell._replace(is_header=False, is_row_header=False) for cell in filled]
    count = _header_rows(rows)
    headers = (cell._replace(is_header=True, is_row_header=False) for cell in chain(*rows[:count]))
    return [*headers, *chain(*rows[count:])]


def _header_rows(rows: Rows) -> int:
    if any(cell.is_header or cell.is_row_header for row in rows for cell in row):
        return sum(1 for _ in takewhile(_names_columns, rows))
    if min(map(len, rows), default=0) < _MIN_COLUMNS:
        return 0  # a list, or a page laid out by a table
    return find_header(rows, is_likely=False).headers


def _is_form(rows: Rows) -> bool:
    """Tell whether cells with a colon at the end stand before their values, from the first row on."""
    labels = [cell for row in rows for cell in row if cell.text.endswith(":")]
    is_first = bool(rows) and any(
        cell.text.endswith(":") and not beside.text.endswith(":") for cell, beside in pairwise(rows[0])
    )
    return is_first and len(labels) >= _LEAST_OF_LABELS * sum(map(len, rows))


def _names_columns(row: Sequence[Cell]) -> bool:
    has_corner = len(row) > 1 and row[0].column > 0
    return all(cell.is_header or (has_corner and cell.is_row_header) for cell in row)


def _count_titles(rows: Rows) -> int:
    left = min((row[0].column for row in rows), default=0)
    count = 0
    for row in rows[:_MAX_TITLES]:
        if len(row) > 1 or row[0].column > left or row[0].row_span > 1:
            break
        count += 1
    return count if any(len(row) > 1 for row in rows[count : count + 1]) else 0


def _count_headers(rows: Rows, is_marked: Callable[[Sequence[Cell]], bool], is_likely: bool) -> int:
    if len(rows) < 2 or _is_form(rows):
        return 0
    count = _height(rows)
    body = rows[count : count + _LOOKED_AT]
    if not body:
        return 0
    votes = _votes(rows[:count], body)
    if is_marked(rows[0]) != is_marked(body[-1]):
        votes += 1 if is_marked(rows[0]) else -1
    if votes:
        return count if votes > 0 else 0
    if not is_likely and _mean_length(body) < _MUCH_LONGER * _mean_length(rows[:1]):
        return 0
    return count if _could_be_names(rows[0], body) else 0


def _height(rows: Rows) -> int:
    """Return the number of header rows, if there is a header; group rows come first."""
    height = max(1, *(cell.row_span for cell in rows[0]))
    while height < min(_MAX_HEADERS, len(rows) - 1):
        above, row = rows[height - 1], rows[height]
        has_groups = any(_is_group(cell, row) for cell in above)
        if not has_groups or not all(map(_is_name, row)):
            break
        height += 1
    return height if height <= _MAX_HEADERS else 1


def _is_group(cell: Cell, below: Sequence[Cell]) -> bool:
    columns = range(cell.column, cell.column + cell.col_span)
    return sum(other.column in columns for other in below) > 1


def _votes(header: Rows, body: Rows) -> int:
    above: dict[int, Cell] = {}  # the cell directly above a column
    for cell in chain.from_iterable(header):
        above |= dict.fromkeys(range(cell.column, cell.column + cell.col_span), cell)
    columns: dict[int, list[Cell]] = defaultdict(list)
    for cell in chain.from_iterable(body):
        columns[cell.column].append(cell)
    return sum(_vote(cell, columns[column]) for column, cell in above.items() if columns[column])


def _vote(header: Cell, cells: Sequence[Cell]) -> int:
    """Judge one column: 1 for a header, -1 against it, 0 if undecided."""
    types = [_type(cell) for cell in cells]
    typed = len(types) - types.count("text")
    if typed < _MOST * len(types):
        return -1 if any(cell.text == header.text for cell in cells) else 0
    if _type(header) == "text":
        return 1
    if _is_year(header):
        return -1 if all(map(_is_year, cells)) else 1
    return -1


def _type(cell: Cell) -> str:
    return (cell.value or value_of(cell.text)).type


def _is_year(cell: Cell) -> bool:
    return cell.text.isdecimal() and len(cell.text) == 4 and int(cell.text) in _YEARS


def _is_name(cell: Cell) -> bool:
    return len(cell.text) <= _LONGEST_NAME and (_type(cell) == "text" or _is_year(cell))


def _mean_length(rows: Rows) -> float:
    texts = [cell.text for row in rows for cell in row]
    return sum(map(len, texts)) / len(texts)


def _could_be_names(row: Sequence[Cell], body: Rows) -> bool:
    texts = [cell.text for cell in row]
    if len(set(texts)) < len(texts) or max(map(len, texts)) > _LONGEST_NAME:
        return False
    if not all(any(map(str.isalnum, text)) for text in texts):
        return False
    named = sum(cell.col_span for cell in row)
    if named < _MOST * max(sum(cell.col_span for cell in below) for below in body):
        return False
    types = {_type(cell) for cell in row}
    return types == {"text"} or types == {"integer"}


# Find the tables of a sheet: groups of filled cells with blank cells around them.

_MAX_REGIONS = 1_000  # Limit of tables per sheet; a sheet with more is scattered cells, read as one table. Chosen.


class Region(NamedTuple):
    """A cell range of a sheet; rows and columns count from 1, the last are included."""

    top: int
    left: int
    bottom: int
    right: int

    def overlaps(self, other: Region) -> bool:
        """Tell whether both ranges share a cell."""
        in_rows = self.top <= other.bottom and other.top <= self.bottom
        return in_rows and self.left <= other.right and other.left <= self.right

    def contains(self, row: int, column: int) -> bool:
        """Tell whether a cell lies in the range."""
        return self.top <= row <= self.bottom and self.left <= column <= self.right


def find_regions(cells: Iterable[Region]) -> list[Region]:
    """Return the ranges around adjacent filled cells, from the top left.

    Overlapping ranges are merged. A sheet with very many ranges is one table with gaps. Memory grows with filled cells,
    not with the sheet's size.
    """
    regions = [around(group) for group in _touching(_runs(cells))]
    return [around(regions)] if len(regions) > _MAX_REGIONS else sorted(_merged(regions))


def _runs(cells: Iterable[Region]) -> dict[int, list[Region]]:
    by_row: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for cell in cells:
        for row in range(cell.top, cell.bottom + 1):
            by_row[row].append((cell.left, cell.right))
    runs: dict[int, list[Region]] = {}
    for row, spans in sorted(by_row.items()):
        found: list[Region] = []
        for left, right in sorted(spans):
            if found and left <= found[-1].right + 1:
                right = max(right, found[-1].right)
                left = found.pop().left
            found.append(Region(row, left, row, right))
        runs[row] = found
    return runs


def _touching(runs: dict[int, list[Region]]) -> Iterable[list[Region]]:
    """Group stretches that touch vertically."""
    number = {run: place for place, run in enumerate(run for row in runs.values() for run in row)}
    ends: list[tuple[int, int]] = []
    for above, below in pairwise(runs):
        if below != above + 1:
            continue
        upper, lower = iter(runs[above]), iter(runs[below])
        one, other = next(upper, None), next(lower, None)
        while one and other:
            if one.left <= other.right and other.left <= one.right:
                ends.append((number[one], number[other]))
            if one.right < other.right:
                one = next(upper, None)
            else:
                other = next(lower, None)
    groups: dict[int, list[Region]] = defaultdict(list)
    for run, group in zip(number, igraph.Graph(len(number), ends).connected_components().membership, strict=True):
        groups[group].append(run)
    return groups.values()


def around(regions: Iterable[Region]) -> Region:
    """Return the smallest range around all ranges."""
    tops, lefts, bottoms, rights = zip(*regions, strict=True)
    return Region(min(tops), min(lefts), max(bottoms), max(rights))


def _merged(regions: list[Region]) -> list[Region]:
    pending = regions
    done: list[Region] = []
    while pending:
        region = pending.pop()
        others = [other for other in (*pending, *done) if region.overlaps(other)]
        if not others:
            done.append(region)
            continue
        pending = [other for other in pending if other not in others]
        done = [other for other in done if other not in others]
        pending.append(around([region, *others]))
    return done
