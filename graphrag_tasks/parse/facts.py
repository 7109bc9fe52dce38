"""Read files of facts that people keep by hand, as CSV or JSONL: each row is one sentence.

    head,relation,tail,head_type,tail_type,negated,valid_from,valid_to,source
    Billing,runs on,Kubernetes,service,platform,,2024-01-01,,CMDB

The row becomes "Billing runs on Kubernetes (from 2024-01-01; source: CMDB)." Its cells say what
stands where, so that the fact is taken as it is given, and their addresses in which row. A row that
states no fact is left out and named.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.core.schemas import FACT_CELL
from graphrag_tasks.language.agreement import denied
from graphrag_tasks.language.domain import type_label
from graphrag_tasks.parse.blocks import Block, ParsedDocument
from graphrag_tasks.parse.encodings import decode
from graphrag_tasks.parse.tables import CELL_COLUMNS, Table
from graphrag_tasks.parse.text import clean_text, one_line
from graphrag_tasks.parse.text_files import DECLARED, DELIMITERS, records

_NEEDED = ("head", "relation", "tail")
_TYPES = ("head_type", "tail_type")
_OTHERS = ("negated", "valid_from", "valid_to", "source")
_COLUMNS = frozenset((*_NEEDED, *_TYPES, *_OTHERS))
_MOST_NAMED = 20
"""Rows that are named, the first; the others are counted. Chosen."""
_LONGEST = 1000
"""Characters of a row's sentence: half a chunk, so that none is cut."""
_HINT = "Write the columns head, relation and tail, and a fact in each row"

_Row = Mapping[str, str]


def read_facts(data: bytes) -> ParsedDocument:
    """Read a file of facts into one table, whose lines are sentences.

    Raises:
        DocumentError: No row states a fact (`broken`).
    """
    file = decode(data)
    text = clean_text(file.text)
    is_json = text.lstrip().startswith("{")
    facts, problems, wrong = _Facts(), list[str](), 0
    unknown: Counter[str] = Counter()
    for number, row in _json_rows(text) if is_json else _csv_rows(text):
        unknown.update(row.keys() - _COLUMNS)
        try:
            facts.add(number, row)
        except ValueError as error:
            wrong += 1
            if wrong <= _MOST_NAMED:
                problems.append(f"row {number}: {error}")
    if wrong > _MOST_NAMED:
        problems.append(f"and {wrong - _MOST_NAMED} more")
    told = [f"{wrong} rows are left out: {'; '.join(problems)}"] if problems else []
    if unknown:
        told.append(f"columns that are not read: {', '.join(map(repr, sorted(unknown)))}")
    if not facts.lines:
        raise DocumentError("broken", "; ".join(["no row states a fact", *told]), hint=_HINT)
    table = facts.table
    left_out = {**file.left_out, LeftOut.FACT: wrong}
    return ParsedDocument(
        [Block("table", "\n".join(facts.lines), table=table)],
        cells=len(table),
        left_out=left_out,
        encoding=file.encoding,
        omitted="; ".join(told),
    )


class _Facts:
    """The sentences of facts, and their cells by column of `CELL_COLUMNS`."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._cells: dict[str, list[Any]] = {
            name: [] for name in ("row", "column", "text", "start", "end")
        }
        self._start = 0

    def add(self, number: int, row: _Row) -> None:
        """Add a row, or raise `ValueError` with what is wrong with it."""
        if "" in row:
            raise ValueError(row[""])
        for name in _NEEDED:
            if not row.get(name):
                raise ValueError(f"the {name} is empty")
        negated = row.get("negated", "").casefold()
        if negated not in ("", "true", "false"):
            raise ValueError(f"negated is {row['negated']!r}, neither true nor false")
        head, relation, tail = (row[name] for name in _NEEDED)
        phrase = denied(relation) if negated == "true" else relation
        behind = _behind(row)
        line = f"{head} {phrase} {tail}{behind}"
        line = line if line.endswith(".") else f"{line}."
        if len(line) > _LONGEST:
            raise ValueError(f"it has more than {_LONGEST:,} characters")
        self.lines.append(line)
        end = self._start + len(head) + 1 + len(phrase) + 1 + len(tail)
        self._cell(number, 0, head, self._start)
        self._cell(
            number, 1, relation, end - len(tail) - 1 - len(phrase), is_there=phrase == relation
        )
        self._cell(number, 2, tail, end - len(tail))
        for column, name in enumerate(_TYPES, start=3):
            if row.get(name):
                self._cell(number, column, type_label(row[name]))
        if negated == "true":
            self._cell(number, 5, negated)
        self._start += len(line) + 1

    def _cell(
        self, number: int, column: int, text: str, start: int = 0, *, is_there: bool | None = None
    ) -> None:
        is_there = column < 3 if is_there is None else is_there
        cells = self._cells
        cells["row"].append(number - 1)
        cells["column"].append(column)
        cells["text"].append(text)
        cells["start"].append(start if is_there else None)
        cells["end"].append(start + len(text) if is_there else None)

    @property
    def table(self) -> Table:
        """The table of all rows; row and address of a cell are those in the file."""
        size = len(self._cells["row"])
        of_all = {"row_span": 1, "col_span": 1, "value_type": FACT_CELL}
        of_all |= {"is_header": False, "is_row_header": False}
        cells = {name: self._cells.get(name) or [of_all.get(name)] * size for name in CELL_COLUMNS}
        return Table(cells, {}, origin=(1, 1))


def _behind(row: _Row) -> str:
    """Return what stands behind a fact in brackets: since when, until when, and its source."""
    first, last = (_day(row, name) for name in ("valid_from", "valid_to"))
    if first and last and first[: len(last)] > last[: len(first)]:
        raise ValueError(f"it ends ({last}) before it begins ({first})")
    said = " ".join([*(["from", first] if first else []), *(["to", last] if last else [])])
    source = f"source: {row['source']}" if row.get("source") else ""
    told = "; ".join(filter(None, [said, source]))
    return f" ({told})" if told else ""


def _day(row: _Row, name: str) -> str:
    """Return a date, month or year as it stands."""
    text = row.get(name, "")
    parts = text.split("-")
    try:
        if text and [len(part) for part in parts] != [4, 2, 2][: len(parts)]:
            raise ValueError
        if text:
            date(*(int(part) for part in [*parts, "01", "01"][:3]))
    except ValueError:
        raise ValueError(f"{name} is {text!r}, no date such as 2024-04-30 or 2024") from None
    return text


def _csv_rows(text: str) -> Iterator[tuple[int, _Row]]:
    if declared := DECLARED.match(text):
        text = text[declared.end() :]
    for delimiter in DELIMITERS:
        rows = records(text, delimiter)
        header = [one_line(name).casefold() for name in next(rows, (None, ""))[0] or ()]
        if set(header) >= set(_NEEDED):
            break
    for number, (record, _) in enumerate(rows, start=2):
        if record is None or any(record[len(header) :]):
            yield number, {"": "its quotes are wrong, or it has more cells than the header"}
        elif any(map(str.strip, record)):
            cells = zip(header, map(one_line, record), strict=False)
            yield number, {name: cell for name, cell in cells if name}


def _json_rows(text: str) -> Iterator[tuple[int, _Row]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield (
                    number,
                    {
                        one_line(name).casefold() or "-": _text(name, value)
                        for name, value in json.loads(line).items()
                    },
                )
            except (ValueError, AttributeError, RecursionError) as error:
                is_named = type(error) is ValueError
                yield number, {"": str(error) if is_named else "it is no JSON object"}


def _text(name: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float):
        raise ValueError(f"{one_line(name)} is no text")
    return one_line(str(value))
