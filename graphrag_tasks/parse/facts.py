"""Read files of facts that people keep by hand, as CSV or JSONL: each row is one sentence.

    head,relation,tail,head_type,tail_type,negated,valid_from,valid_to,source
    Billing,runs on,Kubernetes,service,platform,,2024-01-01,,CMDB

The row becomes "Billing runs on Kubernetes (from 2024-01-01; source: CMDB)." Its cells say what stands where, so that
the fact is taken as it is given; types, denials and times have empty places. A row that states no fact is left out and
named.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from sys import intern

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.core.schemas import FACT_CELL
from graphrag_tasks.language.domain import type_label
from graphrag_tasks.language.names import denied
from graphrag_tasks.parse.blocks import Block, ParsedDocument
from graphrag_tasks.parse.tables import Table
from graphrag_tasks.parse.text import clean_text, one_line
from graphrag_tasks.sources.encodings import decode
from graphrag_tasks.sources.metadata import headed_records

_NEEDED = ("head", "relation", "tail")
_OTHERS = ("head_type", "tail_type", "negated", "valid_from", "valid_to", "source")
_OF_ALL = {"row_span": 1, "col_span": 1, "is_header": False, "is_row_header": False,
           "number": None, "iso": None, "value_type": FACT_CELL}  # fmt: skip
_MOST_NAMED = 20  # Rows that are named, the first; the others are counted. Chosen.
_LONGEST = 1000  # Characters of a row's sentence: half a chunk, so that none is cut. Chosen.
_PROBLEM = ""  # Key of what is wrong with a row that cannot be read.
_DATES = (4, 7, 10)  # Characters of a year, a month and a day.
_RELEASE = re.compile(r"v\d{1,4}|v?\d{1,4}(?:\.(?:\d{1,4}|x))+|\d{1,3}", re.IGNORECASE)

_Row = Mapping[str, str]
_label = cache(type_label)


def read_facts(data: bytes) -> ParsedDocument:
    """Read a file of facts into one table, whose lines are sentences."""
    file = decode(data)
    text = clean_text(file.text)
    rows = _json_rows(text) if text.lstrip().startswith("{") else _csv_rows(text)
    facts, unknown, wrong = _Facts(), set[str](), list[str]()
    for number, row in rows:
        unknown |= row.keys() - {*_NEEDED, *_OTHERS, _PROBLEM}
        try:
            facts.add(number, row)
        except ValueError as error:
            wrong.append(f"row {number}: {error}")
    more = [f"and {len(wrong) - _MOST_NAMED} more"] * (len(wrong) > _MOST_NAMED)
    told = [f"rows left out: {len(wrong)}", *wrong[:_MOST_NAMED], *more] if wrong else []
    told += [f"columns that are not read: {', '.join(sorted(unknown))}"] if unknown else []
    if not facts.lines:
        hint = "Write the columns head, relation and tail, and a fact in each row"
        raise DocumentError("broken", "; ".join(["no row states a fact", *told]), hint=hint)
    table = facts.table()
    return ParsedDocument(
        [Block("table", "\n".join(facts.lines), table=table)],
        cells=len(table),
        left_out={**file.left_out, LeftOut.FACT: len(wrong)},
        encoding=file.encoding,
        omitted="; ".join(told),
    )


class _Facts:
    """The sentences of facts, and their cells by column, packed: there may be millions."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._places = {name: array("i") for name in ("row", "column", "start", "end")}
        self._texts: list[str] = []
        self._start = 0

    def add(self, number: int, row: _Row) -> None:
        """Add a row, or raise `ValueError` with what is wrong with it."""
        _check(row)
        head, relation, tail = (row[name] for name in _NEEDED)
        is_denied = row.get("negated", "").casefold() == "true"
        phrase = denied(relation) if is_denied else relation
        line = f"{head} {phrase} {tail}{_behind(row)}"
        line = line if line.endswith(".") else f"{line}."
        if len(line) > _LONGEST:
            raise ValueError(f"it has more than {_LONGEST:,} characters")
        told = self._start + len(head) + 1
        other = told + len(phrase) + 1
        types = (_label(row.get(name) or "") for name in ("head_type", "tail_type"))
        days = (row.get(name) or "" for name in ("valid_from", "valid_to"))
        texts = (head, relation, tail, *types, "true" if is_denied else "", *days)
        starts = (self._start, told, other, self._start, other, told, told, told)
        ends = (told - 1, other - 1, other + len(tail), *starts[3:])
        for column, cell in enumerate(zip(texts, starts, ends, strict=True)):
            if cell[0]:
                for name, value in zip(self._places.values(), (number - 1, column, *cell[1:]), strict=True):
                    name.append(value)
                self._texts.append(intern(cell[0]))
        self.lines.append(line)
        self._start += len(line) + 1

    def table(self) -> Table:
        """Return the table of all rows, which have their numbers in the file, from 0."""
        same = {value: [value] * len(self._texts) for value in set(_OF_ALL.values())}
        of_all = {name: same[value] for name, value in _OF_ALL.items()}
        return Table({**self._places, "text": self._texts, **of_all}, {})


def _check(row: _Row) -> None:
    if _PROBLEM in row:
        raise ValueError(row[_PROBLEM])
    if empty := [name for name in _NEEDED if not row.get(name)]:
        raise ValueError(f"the {' and the '.join(empty)} is empty")
    if row.get("negated", "").casefold() not in ("", "true", "false"):
        raise ValueError(f"negated is {row['negated']!r}, neither true nor false")


def _behind(row: _Row) -> str:
    """Return what stands behind a fact in brackets: since when, until when, and its source."""
    days = {name: row[f"valid_{name}"] for name in ("from", "to") if row.get(f"valid_{name}")}
    for name, day in days.items():
        if _RELEASE.fullmatch(day):
            continue
        try:  # a year or a month stands for its first day
            date.fromisoformat(f"{day}-01-01"[: max(_DATES)] if len(day) in _DATES else "")
        except ValueError:
            what = f"valid_{name} is {day!r}, no date such as 2024-04-30, 2024-04 or 2024"
            what += ", and no release such as 3.2"
            raise ValueError(what) from None
    is_release = {bool(_RELEASE.fullmatch(day)) for day in days.values()}
    parts = [[int(one) for one in re.findall(r"\d+", day)] for day in days.values()]
    if len(parts) > 1 and len(is_release) == 1 and parts[1] < parts[0][: len(parts[1])]:
        raise ValueError(f"it ends ({days['to']}) before it begins ({days['from']})")
    said = " ".join(f"{name} {day}" for name, day in days.items())
    told = "; ".join(filter(None, [said, row.get("source") and f"source: {row['source']}"]))
    return f" ({told})" if told else ""


def _csv_rows(text: str) -> Iterator[tuple[int, _Row]]:
    header, rows = headed_records(text, _NEEDED)
    for number, record in rows:
        if record is None or any(record[len(header) :]):
            yield number, {_PROBLEM: "its quotes are wrong, or it has more cells than the header"}
        elif any(map(str.strip, record)):
            cells = zip(header, map(one_line, record), strict=False)
            yield number, {name: cell for name, cell in cells if name}


def _json_rows(text: str) -> Iterator[tuple[int, _Row]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                values = json.loads(line).items()
                yield number, {one_line(name).casefold(): _text(value) for name, value in values}
            except (ValueError, AttributeError, TypeError, RecursionError):
                yield number, {_PROBLEM: "it is no JSON object of texts"}


def _text(value: object) -> str:
    if isinstance(value, list | dict):
        raise TypeError
    return "" if value is None else one_line(value if isinstance(value, str) else json.dumps(value))
