"""Rows of tables as frames: the row's key, a column's header, and the cell.

Numbers and dates are no nodes of a graph: they stay in the `cells` table, typed, and give no frame.
Prose is read as sentences (`topics`). A table without a column that names its rows gives none.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.extract.frames import Frame
from graphrag_tasks.extract.linear.names import Name
from graphrag_tasks.extract.linear.pairs import LinearRule, pair
from graphrag_tasks.language.cells import MAX_NAME_WORDS, is_prose

EXTRACTOR_NAME = "table"
RULE = "table_row"
CONFIDENCE = 0.7

CELL_COLUMNS = ["ordinal", "row", "column", "is_header", "is_row_header", "header", "text",
            "value_type", "char_start", "char_end"]  # fmt: skip
_MIN_UNIQUE = 0.7
"""Least share of rows with a value of their own in a key column."""
_MIN_NAMED = 0.5
"""Least share of rows whose key is a name."""
_KEY_WORDS = re.compile(
    r"\b(?:name|id|key|code|object|field|transaction|table|report|class|app|service|parameter|"
    r"term|old|element|option|property|attribute|method|statement|component|type)\b",
    re.IGNORECASE,
)
_OLD = re.compile(r"\b(?:old|obsolete|deprecated|previous|legacy|replaced|before)\b", re.IGNORECASE)
_NEW = re.compile(
    r"\b(?:new|replacement|successor|replaced by|instead|alternative|after)\b", re.IGNORECASE
)
_SAYS_WHAT = re.compile(
    r"(?:description|meaning|definition|explanation|value|values|content|entry|setting)",
    re.IGNORECASE,
)
_PARTICIPLE = re.compile(r"\w+(?:ed|en|own|lt)\s(?:by|in|to|with|for|from|on|as)\b", re.IGNORECASE)

_Cell = Mapping[str, Any]


@dataclass(frozen=True)
class RowFact:
    """A frame and where in the document its evidence stands.

    Attributes:
        frame: Its names cover characters of the document text; the key of a row that another row
            holds covers none.
        place: First character of the tail in the document text.
    """

    frame: Frame
    place: int


@dataclass
class TableCounts:
    """What became of rows and cells."""

    rows: int = 0
    rows_over_limit: int = 0
    numbers: int = 0


def row_facts(cells: pa.Table, *, max_rows: int, counts: TableCounts) -> Iterator[RowFact]:
    """Yield the facts of one document's tables, table by table and row by row.

    Args:
        cells: The document's rows of `schemas.CELLS`.
        max_rows: Rows read of each table: the first of them.
        counts: What is read and left out is added here.
    """
    body = cells.filter(pc.invert(cells["is_header"]))
    for ordinal in sorted(set(body["ordinal"].to_pylist())):
        table = body.filter(pc.equal(body["ordinal"], ordinal))
        numbers = pc.unique(table["row"]).sort()
        kept = numbers.slice(0, max_rows)
        counts.rows += len(kept)
        counts.rows_over_limit += len(numbers) - len(kept)
        if len(kept) < len(numbers):
            table = table.filter(pc.less_equal(table["row"], kept[-1]))
        yield from _table_facts(table.select(CELL_COLUMNS).to_pylist(), counts)


def keyed_cells(cells: Sequence[_Cell]) -> Iterator[tuple[_Cell, _Cell]]:
    """Yield the cells beside the keys of their rows, each with its key, row by row.

    Args:
        cells: Cells of one table, without those of its header.
    """
    rows: dict[int, list[_Cell]] = defaultdict(list)
    for cell in cells:
        rows[cell["row"]].append(cell)
    key_column = _key_column(cells, len(rows))
    for row in sorted(rows):
        key = next((cell for cell in rows[row] if cell["column"] == key_column), None)
        if key is not None and _is_name(key):
            others = (cell for cell in rows[row] if cell["column"] != key_column)
            yield from ((key, cell) for cell in sorted(others, key=lambda one: int(one["column"])))


def _table_facts(cells: Sequence[_Cell], counts: TableCounts) -> Iterator[RowFact]:
    for key, cell in keyed_cells(cells):
        if cell["value_type"] != "text":
            counts.numbers += 1
        elif _names_something(cell) and (relation := relation_of(key["header"], cell["header"])):
            yield RowFact(_frame(key, relation, cell), cell["char_start"])


def _key_column(cells: Sequence[_Cell], rows: int) -> int | None:
    """Return the column whose cells name the rows: unique, text, left, and called a name."""
    columns: dict[int, list[_Cell]] = defaultdict(list)
    for cell in cells:
        columns[cell["column"]].append(cell)
    if len(columns) < 2:
        return None
    marked: Counter[int] = Counter(cell["column"] for cell in cells if cell["is_row_header"])
    if marked:
        return min(marked, key=lambda column: (-marked[column], column))
    leftmost = min(columns)
    scores = {
        column: _key_score(found, rows) + (column == leftmost)
        for column, found in columns.items()
        if len({cell["text"].casefold() for cell in found}) >= _MIN_UNIQUE * rows
        and sum(map(_is_name, found)) >= _MIN_NAMED * rows
    }
    return min(scores, key=lambda column: (-scores[column], column), default=None)


def _key_score(cells: Sequence[_Cell], rows: int) -> float:
    texts = {cell["text"].casefold() for cell in cells}
    header = cells[0]["header"] or ""
    calls_it_a_name = _KEY_WORDS.search(header) is not None
    return (len(texts) + sum(map(_is_name, cells))) / rows + 0.5 * calls_it_a_name


def _is_name(cell: _Cell) -> bool:
    text = cell["text"]
    return (
        cell["value_type"] == "text"
        and cell["char_start"] is not None
        and len(text.split()) <= MAX_NAME_WORDS
        and any(map(str.isalpha, text))
        and not text.endswith((".", ":", "?"))
    )


def _names_something(cell: _Cell) -> bool:
    return _is_name(cell) and not is_prose(cell["text"], cell["value_type"])


def relation_of(key_header: str | None, header: str | None) -> str | None:
    """Return what a column says of the key, in the words of its header."""
    if header is None:
        return None
    if _NEW.search(header) and (key_header is None or _OLD.search(key_header)):
        return "be replaced by"
    if key_header and _NEW.search(key_header) and _OLD.search(header):
        return "replace"
    if _SAYS_WHAT.fullmatch(header):
        return "be"
    words = header.casefold().rstrip(":?")
    return f"be {words}" if _PARTICIPLE.match(words) else f"have {words}"


def _frame(key: _Cell, relation: str, cell: _Cell) -> Frame:
    head = Name(key["text"], key["char_start"], key["char_end"])
    tail = Name(cell["text"], cell["char_start"], cell["char_end"])
    frame = pair(LinearRule.LABEL, head, relation, tail)
    return replace(frame, rule=RULE, extractor=EXTRACTOR_NAME, confidence=CONFIDENCE)
