"""The reader of CSV files: one table.

Python's own reader is used: Docling keeps more than a kilobyte for each cell, takes the first row
for the header whatever stands in it, and knows no titles above it.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from io import StringIO
from itertools import islice

from graphrag_tasks.errors import DocumentError
from graphrag_tasks.parse.blocks import Block, ParsedDocument
from graphrag_tasks.parse.headers import find_header
from graphrag_tasks.parse.tables import Cell, lay_out_table
from graphrag_tasks.parse.text import clean_text, decode

_DELIMITERS = (",", ";", "\t", "|")
_NO_DELIMITER = "\x1f"  # which clean text does not hold
_DECLARED = re.compile(r"sep=(.)(?:\n|\Z)", re.IGNORECASE)
_SAMPLE_ROWS = 100
_SAMPLE_CHARACTERS = 200_000


def read_csv(data: bytes) -> ParsedDocument:
    """Read a CSV file: its delimiter and its header are found; titles above it are captions.

    Raises:
        DocumentError: The file is binary or not CSV (code `broken`).
    """
    text = clean_text(decode(data))
    declared = _DECLARED.match(text)
    if declared:
        text = text[declared.end() :]
    delimiter = declared[1] if declared else _delimiter(text)
    try:
        return ParsedDocument(_blocks(list(_rows(text, delimiter))))
    except csv.Error as error:
        what = f"not a valid csv file: {error}"
        raise DocumentError("broken", what, hint="Check its quotes, or save it again") from error


def _blocks(rows: list[list[Cell]]) -> list[Block]:
    top = find_header(rows[:_SAMPLE_ROWS])
    captions = [Block("caption", cell.text) for row in rows[: top.titles] for cell in row]
    first = rows[top.titles][0].row if rows[top.titles :] else 0
    cells: list[Cell] = []
    for number, row in enumerate(rows[top.titles :]):
        is_header = number < top.headers
        cells.extend(
            Cell(cell.row - first, cell.column, cell.text, is_header=is_header) for cell in row
        )
    if not cells:
        return captions
    text, table = lay_out_table(cells)
    return [*captions, Block("table", text, table=table)]


def _rows(text: str, delimiter: str) -> Iterator[list[Cell]]:
    """Yield the cells of each record that has text; a blank one still counts as a row."""
    for number, record in enumerate(_records(text, delimiter)):
        row = [
            Cell(number, column, clean)
            for column, field in enumerate(record)
            if (clean := " ".join(field.split()))
        ]
        if row:
            yield row


def _records(text: str, delimiter: str) -> Iterator[list[str]]:
    return csv.reader(StringIO(text), delimiter=delimiter, skipinitialspace=True, strict=True)


def _delimiter(text: str) -> str:
    """Return the delimiter that cuts the most records into the same number of fields."""
    sample = text[:_SAMPLE_CHARACTERS]
    ranked = [(_regularity(_records(sample, one)), one) for one in _DELIMITERS]
    best = max(ranked, key=lambda pair: pair[0])
    return best[1] if best[0] > (0.0, 0) else _NO_DELIMITER


def _regularity(records: Iterable[list[str]]) -> tuple[float, int]:
    """Return the share of records with the most frequent number of fields, and that number."""
    counts: Counter[int] = Counter()
    try:
        for record in islice(records, _SAMPLE_ROWS):
            if record:
                counts[len(record)] += 1
    except csv.Error:
        pass
    if not counts:
        return 0.0, 0
    (fields, records_with), *_ = counts.most_common(1)
    return (records_with / counts.total(), fields) if fields > 1 else (0.0, 0)
