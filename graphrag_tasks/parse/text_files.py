"""Read files without markup: plain text, passages, and CSV files.

Each reader raises `DocumentError` (`broken`) for a binary file, or a line that is not a passage. CSV files are read by
Python's reader: Docling keeps more than a kilobyte for each cell, always takes the first row for the header, and knows
no titles.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.parse.blocks import METADATA, Block, ParsedDocument, Title
from graphrag_tasks.parse.headers import SAMPLE_ROWS, find_header
from graphrag_tasks.parse.tables import Cell, lay_out_table
from graphrag_tasks.parse.text import clean_text, one_line
from graphrag_tasks.sources.csv_text import DECLARED, DELIMITERS, records
from graphrag_tasks.sources.detection import Guess
from graphrag_tasks.sources.encodings import decode

_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_NO_DELIMITER = "\x1f"  # which clean text does not hold
_SAMPLE_CHARACTERS = 200_000  # Characters used to detect the delimiter; more would only take time.


def read_plain_text(data: bytes) -> ParsedDocument:
    """Read a text file; blank lines separate paragraphs."""
    file = decode(data)
    return ParsedDocument(paragraphs(file.text), left_out=file.left_out, encoding=file.encoding)


def paragraphs(text: str) -> list[Block]:
    """Split a text into paragraphs at blank lines."""
    found = (part.strip() for part in _BLANK_LINES.split(clean_text(text)))
    return [Block("paragraph", part) for part in found if part]


def read_passage(data: bytes) -> ParsedDocument:
    """Read a line of a JSONL file, `{"title", "text"}`: a heading and one paragraph."""
    try:
        passage = json.loads(data)
        title, text = one_line(str(passage.get("title") or "")), clean_text(passage["text"])
    except (ValueError, AttributeError, KeyError, TypeError) as error:
        what, hint = f"the line is not a passage: {error}", 'Write it as {"title": …, "text": …}'
        raise DocumentError("broken", what, hint=hint) from error
    blocks = [Block("heading", title, level=1)] if title else []
    blocks += [Block("paragraph", text)] if text.strip() else []
    metadata = Title(title, METADATA) if title else None
    return ParsedDocument(blocks, metadata, encoding=Guess(json.detect_encoding(data), 1.0))


def read_csv(data: bytes) -> ParsedDocument:
    """Read a CSV file with detected delimiter and header; titles above it are captions.

    A line with wrong quotes is cut at its delimiters, and keeps its quotes.
    """
    file = decode(data)
    text = clean_text(file.text)
    if declared := DECLARED.match(text):
        text = text[declared.end() :]
    rows = list(_rows(text, declared[1] if declared else _delimiter(text)))
    top = find_header(rows)
    blocks = [Block("caption", cell.text) for row in rows[: top.titles] for cell in row]
    text, table = lay_out_table(top.body(rows))
    if text:
        blocks.append(Block("table", text, table=table))
    return ParsedDocument(blocks, left_out=file.left_out, encoding=file.encoding)


def _rows(text: str, delimiter: str) -> Iterator[list[Cell]]:
    for number, (record, line) in enumerate(records(text, delimiter)):
        fields = line.split(delimiter) if record is None else record
        texts = enumerate(" ".join(field.split()) for field in fields)
        if row := [Cell(number, column, text) for column, text in texts if text]:
            yield row


def _delimiter(text: str) -> str:
    """Return the delimiter that gives the most records the same number of fields."""
    sample = text[:_SAMPLE_CHARACTERS]
    regularity = {delimiter: _regularity(records(sample, delimiter)) for delimiter in DELIMITERS}
    best = max(DELIMITERS, key=regularity.__getitem__)
    return best if regularity[best] > (0.0, 0) else _NO_DELIMITER


def _regularity(records: Iterable[tuple[list[str] | None, str]]) -> tuple[float, int]:
    counts: Counter[int] = Counter()
    wrong = 0
    for record, _ in islice(records, SAMPLE_ROWS):
        if record is None:
            wrong += 1
        elif record:
            counts[len(record)] += 1
    if not counts:
        return 0.0, 0
    fields, records_with = max(counts.items(), key=lambda item: (item[1], item[0]))
    return (records_with / (counts.total() + wrong), fields) if fields > 1 else (0.0, 0)
