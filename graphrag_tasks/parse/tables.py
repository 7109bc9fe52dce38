"""Tables as lines of text, each of which can be read on its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from graphrag_tasks.parse.text import one_line

if TYPE_CHECKING:
    from docling_core.types.doc.items.table.table_data import TableCell

_CELL_SEPARATOR = " | "


def table_text(cells: Iterable[TableCell]) -> str:
    """Return one line per row: `Header: value | Header: value` below a header row.

    Empty cells are left out. A cell that spans rows is repeated in each of them, a cell that
    spans columns stands once and without a header. A table that is all header, or has none,
    gives its cells alone.
    """
    rows = _rows(cells)
    headers = _headers(rows)
    body = [row for row in rows if not _is_header(row)] if headers else rows
    lines = [_line(row, headers if body else {}) for row in body or rows]
    return "\n".join(line for line in lines if line)


def _rows(cells: Iterable[TableCell]) -> list[list[TableCell]]:
    rows: dict[int, list[TableCell]] = defaultdict(list)
    for cell in cells:
        for row in range(cell.start_row_offset_idx, cell.end_row_offset_idx):
            rows[row].append(cell)
    return [sorted(rows[row], key=lambda cell: cell.start_col_offset_idx) for row in sorted(rows)]


def _is_header(row: Sequence[TableCell]) -> bool:
    return all(cell.column_header for cell in row)


def _headers(rows: Sequence[Sequence[TableCell]]) -> dict[int, str]:
    """Return each column's header: the distinct texts of the header rows on top."""
    parts: dict[int, dict[str, None]] = defaultdict(dict)
    for row in rows:
        if not _is_header(row):
            break
        for cell in row:
            for column in range(cell.start_col_offset_idx, cell.end_col_offset_idx):
                parts[column][one_line(cell.text)] = None
    return {column: " ".join(filter(None, texts)) for column, texts in parts.items()}


def _line(row: Sequence[TableCell], headers: dict[int, str]) -> str:
    return _CELL_SEPARATOR.join(filter(None, (_cell(cell, headers) for cell in row)))


def _cell(cell: TableCell, headers: dict[int, str]) -> str:
    text = one_line(cell.text)
    spans_columns = cell.end_col_offset_idx - cell.start_col_offset_idx > 1
    header = "" if spans_columns else headers.get(cell.start_col_offset_idx, "")
    return f"{header}: {text}" if header and text else text
