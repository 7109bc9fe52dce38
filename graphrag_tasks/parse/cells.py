"""Tables' cells as rows of the `cells` artifact, with their places in the document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import repeat
from typing import Any

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.core.schemas import BLOCK_SEPARATOR
from graphrag_tasks.parse.blocks import Block
from graphrag_tasks.parse.tables import CELL_COLUMNS, Table, header_above

_COPIED = tuple(name for name in CELL_COLUMNS if name not in ("start", "end"))
_LETTERS = 26


def lay_out_cells(document_id: str, blocks: Iterable[Block]) -> pa.Table:
    """Return the `schemas.CELLS` rows of a document, with their places in the document text."""
    columns: dict[str, list[Any]] = {name: [] for name in schemas.CELLS.names}
    start = 0
    for ordinal, block in enumerate(blocks):
        if block.table is not None and not block.table.repeats:
            shared = {"document_id": document_id, "ordinal": ordinal, "page": block.page}
            for name, values in _columns(block.table, start, shared).items():
                columns[name].extend(values)
        start += len(block.text) + len(BLOCK_SEPARATOR)
    return pa.Table.from_pydict(columns, schema=schemas.CELLS)


def _columns(table: Table, start: int, shared: dict[str, Any]) -> dict[str, Iterable[Any]]:
    cells = table.cells
    columns: dict[str, Iterable[Any]] = {
        name: repeat(value, len(table)) for name, value in shared.items()
    }
    columns |= {name: cells[name] for name in _COPIED}
    columns |= {
        "sheet": repeat(table.sheet, len(table)),
        "reference": _references(table),
        "header": _headers(table),
        "char_start": (None if at is None else start + at for at in cells["start"]),
        "char_end": (None if at is None else start + at for at in cells["end"]),
    }
    return columns


def _references(table: Table) -> Iterable[str | None]:
    if table.origin is None:
        return repeat(None, len(table))
    top, left = table.origin
    return (
        f"{_letters(left + column)}{top + row}"
        for row, column in zip(table.cells["row"], table.cells["column"], strict=True)
    )


@cache
def _letters(number: int) -> str:
    """Return a sheet's name of its column with this number, from 1."""
    letters = ""
    while number:
        number, letter = divmod(number - 1, _LETTERS)
        letters = chr(ord("A") + letter) + letters
    return letters


def _headers(table: Table) -> Iterator[str | None]:
    for column, span, is_header in zip(
        table.cells["column"], table.cells["col_span"], table.cells["is_header"], strict=True
    ):
        yield None if is_header else header_above(table.headers, column, span)
