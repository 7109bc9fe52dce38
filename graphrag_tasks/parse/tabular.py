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

from graphrag_tasks.parse.blocks import Block, ParsedDocument
from graphrag_tasks.parse.headers import find_header
from graphrag_tasks.parse.tables import Cell, lay_out_table
from graphrag_tasks.parse.text import clean_text, decode, without_invalid

_DELIMITERS = (",", ";", "\t", "|")
_NO_DELIMITER = "\x1f"  # which clean text does not hold
_DECLARED = re.compile(r"sep=(.)(?:\n|\Z)", re.IGNORECASE)
_SAMPLE_ROWS = 100
_SAMPLE_CHARACTERS = 200_000


def read_csv(data: bytes) -> ParsedDocument:
    """Read a CSV file: its delimiter and its header are found; titles above it are captions.

    A line whose quotes are wrong is cut at its delimiters, and its quotes are kept.

    Raises:
        DocumentError: The file is binary (code `broken`).
    """
    text, left_out = without_invalid(decode(data))
    text = clean_text(text)
    declared = _DECLARED.match(text)
    if declared:
        text = text[declared.end() :]
    delimiter = declared[1] if declared else _delimiter(text)
    return ParsedDocument(_blocks(list(_rows(text, delimiter))), left_out=left_out)


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
    for number, (record, line) in enumerate(_records(text, delimiter)):
        row = [
            Cell(number, column, clean)
            for column, field in enumerate(line.split(delimiter) if record is None else record)
            if (clean := " ".join(field.split()))
        ]
        if row:
            yield row


def _records(text: str, delimiter: str) -> Iterator[tuple[list[str] | None, str]]:
    """Yield each record's fields; None and its first line where its quotes are wrong.

    Reading goes on below that line: its quote may be a stray one that would take in the rest.
    """
    lines = StringIO(text).readlines()
    start = 0
    while start < len(lines):
        rest = (lines[number] for number in range(start, len(lines)))
        reader = csv.reader(rest, delimiter=delimiter, skipinitialspace=True, strict=True)
        read = 0
        try:
            for record in reader:
                read = reader.line_num
                yield record, ""
            return
        except csv.Error:
            start += read + 1
            yield None, lines[start - 1]


def _delimiter(text: str) -> str:
    """Return the delimiter that cuts the most records into the same number of fields."""
    sample = text[:_SAMPLE_CHARACTERS]
    ranked = [(_regularity(_records(sample, one)), one) for one in _DELIMITERS]
    best = max(ranked, key=lambda pair: pair[0])
    return best[1] if best[0] > (0.0, 0) else _NO_DELIMITER


def _regularity(records: Iterable[tuple[list[str] | None, str]]) -> tuple[float, int]:
    """Return the share of records with the most frequent number of fields, and that number."""
    counts: Counter[int] = Counter()
    wrong = 0
    for record, _ in islice(records, _SAMPLE_ROWS):
        if record is None:
            wrong += 1
        elif record:
            counts[len(record)] += 1
    if not counts:
        return 0.0, 0
    fields, records_with = max(counts.items(), key=lambda item: (item[1], item[0]))
    return (records_with / (counts.total() + wrong), fields) if fields > 1 else (0.0, 0)
