"""The reader of CSV files: one table."""

from __future__ import annotations

from graphrag_tasks.parse.blocks import ParsedDocument
from graphrag_tasks.parse.docling_blocks import blocks_of
from graphrag_tasks.parse.docling_convert import convert
from graphrag_tasks.parse.text import decode


def read_csv(data: bytes) -> ParsedDocument:
    """Read a CSV file, whatever its delimiter; the first row is the header.

    Raises:
        DocumentError: The file is binary or not CSV (code `broken`).
    """
    return ParsedDocument(blocks_of(convert(decode(data).encode("utf-8"), "csv")))
