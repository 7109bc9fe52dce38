"""Read files without markup: plain text, passages, CSV files, and subtitles.

Each reader raises `DocumentError` (`broken`) for a binary file, or a line that is not a passage. CSV files are read by
Python's reader: Docling keeps more than a kilobyte for each cell, always takes the first row for the header, and knows
no titles.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import METADATA, Block, ParsedDocument, Title
from graphrag_tasks.parse.tables import SAMPLE_ROWS, Cell, find_header, lay_out_table
from graphrag_tasks.parse.text import clean_text, one_line
from graphrag_tasks.sources.encodings import Guess, decode
from graphrag_tasks.sources.metadata import DECLARED, DELIMITERS, records

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


# Read WebVTT subtitles: a paragraph for each cue, with the speakers' names.

_TIMES = re.compile(r"[ \t]*[\d:.,]+[ \t]*-->[ \t]*\d")
_SPEAKER = re.compile(r"<v(?:\.[^\s<>]*)?\s([^<>]+)>")  # one \s: two repeats would try all ways
_TAG = re.compile(r"</?(?:c|i|b|u|v|ruby|rt|lang)(?:[.\s][^<>]*)?>|<[\d:.]+>")
_SETTINGS = frozenset(("STYLE", "REGION"))


def read_webvtt(data: bytes) -> ParsedDocument:
    """Read subtitles; times, ids and styles are counted as left out."""
    file = decode(data)
    header, *parts = paragraphs(file.text) or [Block("paragraph", "")]
    if header.text[:6] != "WEBVTT" or header.text[6:7].strip():
        what = "not a valid vtt file: it does not begin with WEBVTT"
        raise DocumentError("broken", what, hint="Save the subtitles as WebVTT, or as text")
    subtitles = _Subtitles()
    subtitles.read_header(header.text.split("\n"))
    for part in parts:
        subtitles.read(part.text.split("\n"))
    left_out = subtitles.left_out + Counter(file.left_out)
    return ParsedDocument(subtitles.blocks, left_out=left_out, encoding=file.encoding)


class _Subtitles:
    """The cues read so far, and the counts of what is left out."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.left_out: Counter[str] = Counter()

    def read_header(self, lines: Sequence[str]) -> None:
        """Count the header's lines, and read cues that follow without a blank line."""
        end = next((at for at, line in enumerate(lines) if _TIMES.match(line)), len(lines))
        said = [lines[0].removeprefix("WEBVTT"), *lines[1:end]]
        self.left_out[LeftOut.SUBTITLE_MARK] += sum(bool(line.strip()) for line in said)
        self.read(lines[end:])

    def read(self, lines: Sequence[str]) -> None:
        """Read a group of lines: cues, a comment, or settings."""
        times = [at for at, line in enumerate(lines) if _TIMES.match(line)]
        if not times and lines:
            word = lines[0].split()[0]
            if word == "NOTE":
                self.left_out[LeftOut.COMMENT] += 1
                return
            if lines[0].strip() in _SETTINGS:
                self.left_out[LeftOut.SUBTITLE_MARK] += 1
                return
        has_id = times[:1] == [1]
        self.left_out[LeftOut.SUBTITLE_MARK] += len(times) + has_id
        starts = [-1 + has_id, *times]
        for start, end in zip(starts, [*times, len(lines)], strict=True):
            self._add("\n".join(lines[start + 1 : end]))

    def _add(self, cue: str) -> None:
        text = html.unescape(_TAG.sub("", _SPEAKER.sub(r"\n\1: ", cue)))
        lines = (" ".join(line.split()) for line in clean_text(text).split("\n"))
        if shown := "\n".join(line for line in lines if line):
            self.blocks.append(Block("paragraph", shown))
