"""The cells of Docling's tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphrag_tasks.parse.tables import Cell
from graphrag_tasks.parse.text import one_line

if TYPE_CHECKING:
    from docling_core.types.doc.items.table.table_data import TableData


def cells_of(data: TableData) -> list[Cell]:
    """Return the cells of a table that have text.

    A first row of header cells with an empty corner names columns, although Docling takes its
    cells for the headers of a row.
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
    for row in sorted(rows):
        if not _names_columns([cells[at] for at in rows[row]]):
            break
        for at in rows[row]:
            cells[at] = cells[at]._replace(is_header=True, is_row_header=False)
    return cells


def _names_columns(row: Sequence[Cell]) -> bool:
    if all(cell.is_header for cell in row):
        return True
    are_headers = all(cell.is_header or cell.is_row_header for cell in row)
    return are_headers and len(row) > 1 and row[0].column > 0
