"""Table rows as frames: row key, column header, cell.

A number or date is told with its type, and so becomes an attribute of the key. Prose cells are read as sentences
(`topics`). A table without a key column gives no frame.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.ids import content_id
from graphrag_tasks.core.schemas import TABLE
from graphrag_tasks.extract.frames import Argument, Frame, Span
from graphrag_tasks.extract.linear.patterns import pair
from graphrag_tasks.extract.triples import Triple
from graphrag_tasks.extract.words import any_of
from graphrag_tasks.language.cells import MAX_NAME_WORDS, is_prose
from graphrag_tasks.language.glyphs import unreadable

_COLUMNS = {kind: tuple(one.name for one in fields(kind)) for kind in (Argument, Frame, Triple)}


def columns_of(one: Argument | Frame | Triple) -> dict[str, Any]:
    """Return the fields by name; `dataclasses.asdict` copies each value, a tenth of the stage."""
    return {name: getattr(one, name) for name in _COLUMNS[type(one)]}


def frame_row(frame: Frame, sentence_id: str) -> dict[str, Any]:
    """Return the row of a frame, without the location of its sentence."""
    spans = [f"{argument.role}:{argument.start}:{argument.end}" for argument in frame.arguments]
    frame_id = content_id("frame", sentence_id, frame.rule, frame.predicate, frame.start, frame.end, *spans)
    arguments = list(map(columns_of, frame.arguments))
    return columns_of(frame) | {"arguments": arguments, "frame_id": frame_id}


def said(text: str) -> int:
    """Return a hash of a sentence's text that fits into 64 bits with a sign."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def triple_id(row: Mapping[str, Any]) -> str:
    """Return the id of a triple's row."""
    spans = ("head_start", "head_end", "relation", "tail_start", "tail_end")
    return content_id("triple", row["frame_id"], *(row[name] for name in spans))


EXTRACTOR_NAME = TABLE
RULE = "table_row"
CONFIDENCE = 0.7  # Set by hand.

CELL_COLUMNS = ["ordinal", "row", "column", "is_header", "is_row_header", "header", "text",
            "value_type", "char_start", "char_end", "row_span", "col_span"]  # fmt: skip
_MIN_UNIQUE = 0.7  # Least share of distinct values in a key column.
_MIN_NAMED = 0.5  # Least share of keys that are names.
_KEY_WORDS = re.compile(rf"\b{any_of('key_headers')}\b", re.IGNORECASE)
_OLD = re.compile(r"\b(?:old|obsolete|deprecated|previous|legacy|replaced|before)\b", re.IGNORECASE)
_NEW = re.compile(r"\b(?:new|replacement|successor|replaced by|instead|alternative|after)\b", re.IGNORECASE)
_SAYS_WHAT = re.compile(r"description|meaning|definition|explanation|values?|content|entry|setting", re.IGNORECASE)
_PARTICIPLE = re.compile(r"\w+(?:ed|en|own|lt)\s(?:by|in|to|with|for|from|on|as)\b", re.IGNORECASE)

_LABELS = dict(integer="NUMBER", number="NUMBER", percent="PERCENT", date="DATE", datetime="DATE", time="TIME")
"""Entity labels of the values of cells."""

_CATEGORY = "CATEGORY"  # Label of a value that tells kinds of rows apart, as "paid" and "yes": it is no thing.
_FLAG = re.compile(r"y|yes|no?|n/?a|true|false", re.IGNORECASE)
_PLAIN = re.compile(r"[a-z]+(?: [a-z]+){0,2}")
_OFTEN = 3  # Least times that a plain value stands in its column. Chosen.

_Cell = Mapping[str, Any]


@dataclass
class TableCounts:
    """Numbers of rows read and left out, and of numeric cells."""

    table_rows: int = 0
    table_rows_over_limit: int = 0
    table_numbers: int = 0


def row_facts(cells: pa.Table, *, max_rows: int, counts: TableCounts) -> Iterator[Frame]:
    """Yield the frames of a document's tables, in order, with offsets in the document text.

    Only the first `max_rows` of each table are read; `counts` is updated. A frame starts at its tail, or at its key if
    the tail spans several rows.
    """
    body = cells.filter(pc.invert(cells["is_header"]))
    for ordinal in sorted(set(body["ordinal"].to_pylist())):
        table = body.filter(pc.equal(body["ordinal"], ordinal))
        numbers = pc.unique(table["row"]).sort()
        kept = numbers.slice(0, max_rows)
        counts.table_rows += len(kept)
        counts.table_rows_over_limit += len(numbers) - len(kept)
        if len(kept) < len(numbers):
            table = table.filter(pc.less_equal(table["row"], kept[-1]))
        yield from _table_facts(table.select(CELL_COLUMNS).to_pylist(), counts)


def keyed_cells(cells: Sequence[_Cell]) -> Iterator[tuple[_Cell, _Cell]]:
    """Yield the cells beside row keys, each with its key, row by row.

    `cells` are those of one table without its header.
    """
    of_rows = _of_rows(cells)
    key_column = _key_column(of_rows, len({cell["row"] for cell in of_rows}))
    in_order = sorted(of_rows, key=itemgetter("row", "column"))
    for _, group in groupby(in_order, key=itemgetter("row")):
        row = list(group)
        key = next((cell for cell in row if cell["column"] == key_column), None)
        if key is not None and _is_name(key):
            yield from ((key, cell) for cell in row if cell["column"] != key_column)


def _of_rows(cells: Sequence[_Cell]) -> list[_Cell]:
    """Return cells repeated for each row that they span, without notes as wide as the table."""
    width = max((cell["column"] + cell["col_span"] for cell in cells), default=0)
    last = max((cell["row"] for cell in cells), default=0)
    return [
        {**cell, "row": row, "is_repeated": row > cell["row"]}
        for cell in cells
        if width == 1 or cell["col_span"] < width
        for row in range(cell["row"], min(cell["row"] + cell["row_span"], last + 1))
    ]


def _table_facts(cells: Sequence[_Cell], counts: TableCounts) -> Iterator[Frame]:
    times = Counter((cell["column"], cell["text"]) for cell in cells)
    for key, cell in keyed_cells(cells):
        label = _label_of(cell)
        counts.table_numbers += label is not None
        is_often = times[cell["column"], cell["text"]] >= _OFTEN
        if _FLAG.fullmatch(cell["text"]) or (is_often and _PLAIN.fullmatch(cell["text"])):
            label = _CATEGORY
        if cell["char_start"] is None or not (label or (_is_name(cell) and not is_prose(cell["text"], "text"))):
            continue
        if relation := relation_of(key["header"], cell["header"]):
            head = Span(key["text"], key["char_start"], key["char_end"])
            tail = Span(cell["text"], cell["char_start"], cell["char_end"])
            frame = pair(RULE, head, relation.rstrip(":"), tail, CONFIDENCE)
            subject, value = frame.arguments
            if cell["is_repeated"] and not key["is_repeated"]:
                frame = replace(frame, start=head.start, end=head.end)
            arguments = (subject, replace(value, entity_type=label))
            yield replace(frame, predicate=relation, arguments=arguments, extractor=EXTRACTOR_NAME)


def _label_of(cell: _Cell) -> str | None:
    """Return the entity label of a cell that holds a value: also of one in signs and digits, "£5,150"."""
    text = cell["text"]
    if cell["value_type"] != "text" or any(map(str.isalpha, text)) or not any(map(str.isdigit, text)):
        return _LABELS.get(cell["value_type"])
    return "MONEY" if any(unicodedata.category(sign) == "Sc" for sign in text) else "NUMBER"


def _key_column(cells: Sequence[_Cell], rows: int) -> int | None:
    """Return the key column: unique, textual, left, and named like a key."""
    columns: dict[int, list[_Cell]] = defaultdict(list)
    for cell in cells:
        columns[cell["column"]].append(cell)
    if len(columns) < 2:
        return None
    marked: Counter[int] = Counter(cell["column"] for cell in cells if cell["is_row_header"])
    if marked:
        return min(marked, key=lambda column: (-marked[column], column))
    scores: dict[int, float] = {}
    for column, found in columns.items():
        unique = len({cell["text"].casefold() for cell in found})
        names = sum(map(_is_name, found))
        if unique >= _MIN_UNIQUE * rows and names >= _MIN_NAMED * rows:
            is_called_so = _KEY_WORDS.search(found[0]["header"] or "") is not None
            score = (unique + names) / rows + 0.5 * is_called_so
            scores[column] = score + (column == min(columns))
    return min(scores, key=lambda column: (-scores[column], column), default=None)


def _is_name(cell: _Cell) -> bool:
    text = cell["text"]
    return (
        cell["value_type"] == "text"
        and cell["char_start"] is not None
        and len(text.split()) <= MAX_NAME_WORDS
        and any(map(str.isalpha, text))
        and not text.endswith((".", ":", "?"))
        and not unreadable(f"{text} {cell['header']}")
    )


def relation_of(key_header: str | None, header: str | None) -> str | None:
    """Return the relation of a column to the key, from its header: a verb, or its own words with a colon."""
    if header is None:
        return None
    if _NEW.search(header) and (key_header is None or _OLD.search(key_header)):
        return "be replaced by"
    if key_header and _NEW.search(key_header) and _OLD.search(header):
        return "replace"
    if _SAYS_WHAT.fullmatch(header):
        return "be"
    words = header.casefold().rstrip(":?")
    return f"be {words}" if _PARTICIPLE.match(words) else f"{words}:"
