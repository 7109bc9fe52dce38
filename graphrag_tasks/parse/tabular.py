"""The reader of CSV files: one table.

Docling keeps more than a kilobyte for each cell, so a long file goes through it in pieces, each
below the header.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from itertools import islice

from graphrag_tasks.parse.blocks import Block, ParsedDocument
from graphrag_tasks.parse.docling_blocks import blocks_of
from graphrag_tasks.parse.docling_convert import convert
from graphrag_tasks.parse.text import decode

RECORDS_PER_PIECE = 2_000


def read_csv(data: bytes) -> ParsedDocument:
    """Read a CSV file, whatever its delimiter; the first row is the header.

    Raises:
        DocumentError: The file is binary or not CSV (code `broken`).
    """
    records = _records(decode(data).replace("\r\n", "\n").replace("\r", "\n"))
    header = next(records, "")
    texts: list[str] = []
    while rows := list(islice(records, RECORDS_PER_PIECE)):
        texts += _read(header, rows)
    text = "\n".join(texts or _read(header, []))
    return ParsedDocument([Block("table", text)] if text else [])


def _read(header: str, rows: list[str]) -> list[str]:
    piece = "".join([header, *rows]).encode("utf-8")
    return [block.text for block in blocks_of(convert(piece, "csv"))]


def _records(text: str) -> Iterator[str]:
    """Yield the lines of each record that is not blank: quoted values may hold line ends."""
    lines: list[str] = []
    quotes = 0
    for line in StringIO(text):
        lines.append(line)
        quotes += line.count('"')
        if quotes % 2 == 0:
            if record := "".join(lines).strip("\n"):
                yield f"{record}\n"
            lines, quotes = [], 0
    if lines:
        yield "".join(lines)
