"""The cells of Docling's tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from graphrag_tasks.parse.headers import find_header
from graphrag_tasks.parse.tables import Cell
from graphrag_tasks.parse.text import one_line

if TYPE_CHECKING:
    from docling_core.types.doc.items.table.table_data import TableData


_MIN_COLUMNS = 2
_SAMPLE_ROWS = 100


def cells_of(data: TableData) -> list[Cell]:
    """Return the cells of a table that have text.

    A first row of header cells with an empty corner names columns, although Docling takes its
    cells for the headers of a row. Where no cell is marked as a header at all, as in many HTML
    tables, the first rows are judged by their texts.
    """
    cells = [
        Cell(
            cell.start_row_offset_idx,
            cell.start_col_offset_idx,
            text,
            cell.end_row_offset_idx - cell.start_row_offset_idx,
            cell.end_col_offset_idx - cell.start_col_offset_idx,
            cell.column_header,
            cell.row_header,
        )
        for cell in data.table_cells
        if (text := one_line(cell.text))
    ]
    rows: dict[int, list[int]] = defaultdict(list)
    for at, cell in enumerate(cells):
        rows[cell.row].append(at)
    places = [rows[row] for row in sorted(rows)]
    count = _header_rows([[cells[at] for at in row] for row in places])
    for row_places in places[:count]:
        for at in row_places:
            cells[at] = cells[at]._replace(is_header=True, is_row_header=False)
    return cells


def _header_rows(rows: Sequence[Sequence[Cell]]) -> int:
    """Return how many rows on top name columns."""
    if any(cell.is_header or cell.is_row_header for row in rows for cell in row):
        return sum(1 for _ in takewhile(_names_columns, rows))
    if min(map(len, rows), default=0) < _MIN_COLUMNS:
        return 0  # a list, or a page laid out by a table
    return find_header(rows[:_SAMPLE_ROWS], is_likely=False).headers


def _names_columns(row: Sequence[Cell]) -> bool:
    if all(cell.is_header for cell in row):
        return True
    are_headers = all(cell.is_header or cell.is_row_header for cell in row)
    return are_headers and len(row) > 1 and row[0].column > 0
