"""Lay out tables as text: each line can be read on its own.

A row becomes `Header: value Header: value`, so that a chunk, which ends between lines, never holds values without their
headers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, NamedTuple

from graphrag_tasks.core.schemas import CELL_SEPARATOR
from graphrag_tasks.parse.values import Value, value_of

HEADER_SEPARATOR = ": "
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
        parts: list[str] = []
        for cell in row:
            if header := header_above(headers, cell.column, cell.col_span):
                for column in range(cell.column, cell.column + cell.col_span):
                    for above, offset in self._unplaced.pop(column, ()):
                        self.places.setdefault(above[:2], start + offset)
                start += len(header) + len(HEADER_SEPARATOR)
                parts.append(f"{header}{HEADER_SEPARATOR}{cell.text}")
            else:
                parts.append(cell.text)
            self.places.setdefault(cell[:2], start)
            start += len(cell.text) + len(CELL_SEPARATOR)
        return CELL_SEPARATOR.join(parts)


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
