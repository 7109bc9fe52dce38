"""Views: the rows of all tables that share a header, with the tables' names.

"Airports in Texas" may be spread over a dozen files with the same columns. So the tables of a snapshot with the same
header form a view, whose rows a question can filter and count. Numbers are converted to one unit per dimension.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.storage.snapshots.store import Snapshot

_LEAST_ROWS = 2  # Rows of a view; with one there is nothing to filter or count.
_LONGEST_VALUE = 60  # Characters of a value that a question can name; longer cells are prose.
_LEAST_SUMMED = 2  # Columns of sums that tell a total row without a word for it.

_FACTORS = {
    "mass": "mg .001 g 1 gram 1 grams 1 kg 1e3 kilos 1e3 kilograms 1e3 t 1e6 tons 1e6 tonnes 1e6 lb 453.6 pounds 453.6",
    "length": "mm .001 cm .01 m 1 metres 1 meters 1 km 1e3 kilometres 1e3 kilometers 1e3 ft .3048 feet .3048 miles 1609.34",
    "time": "ms .001 s 1 sec 1 seconds 1 min 60 mins 60 minutes 60 h 3600 hrs 3600 hours 3600 days 86400 weeks 604800",
    "volume": "ml .001 cl .01 dl .1 l 1 litres 1 liters 1 m³ 1e3 m3 1e3",
    "€": "€ 1 eur 1 euro 1 euros 1", "$": "$ 1 usd 1 dollars 1", "£": "£ 1 gbp 1 pounds sterling 1", "%": "% 1 percent 1",
}  # fmt: skip
MONEY = ("€", "$", "£")
_UNITS = {
    word: (dimension, float(factor))
    for dimension, said in _FACTORS.items()
    for word, factor in re.findall(r"(\S+) ([\d.e]+)", said)
}
NUMBER = r"\d{1,3}(?:[,.' ]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?"
_QUANTITY = re.compile(rf"([€$£]?)\s*([-−]?)\s*({NUMBER})\s*([^\W\d]+[³2-3²]?|[€$£%])?")
_CLOCK = re.compile(r"(\d+):(\d\d):(\d\d)")
_DECIMAL_COMMA = re.compile(r"\d,\d{1,2}(?!\d)")
_NOTHING = frozenset({"-", "–", "—", "n/a", "na", "none", "null", "k.a."})
YES = {"yes": True, "true": True, "ja": True, "x": True, "✓": True, "y": True,
       "no": False, "false": False, "nein": False, "-": False, "✗": False, "n": False}  # fmt: skip
_TOTAL = re.compile(
    r"(?:(?:grand|sub|overall|zwischen)[- ]?)?(?:total|sum|summe|gesamt|insgesamt|average|mean)s?\b", re.IGNORECASE
)

Term = tuple[str, ...]  # The stems of a name, for comparing values, columns and tables with a question.


def unit_of(word: str) -> tuple[str, float] | None:
    """Return the dimension of a unit and its factor."""
    return _UNITS.get(word.lower()) or _UNITS.get(f"{word.lower()}s" if word else "")


def number_of(text: str, *, comma: bool = False) -> float:
    """Return the value of a number as written; `comma`: in a table with decimal commas."""
    last = max(text.rfind(","), text.rfind("."))
    grouped = re.fullmatch(r"\d{1,3}(?:([,.' ])\d{3})(?:\1\d{3})*", text)
    if grouped and (grouped[1] != "." or comma or text.count(".") > 1):
        return float(re.sub(r"\D", "", text))
    return float(re.sub(r"\D", "", text[:last]) + "." + text[last + 1 :]) if last > 0 else float(re.sub(r"\D", "", text))


class Column:
    """A column: its name, and its texts by row, without empty ones."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.texts: dict[int, str] = {}
        self.dates: dict[int, int] = {}
        self.rows: Sequence[int] = ()
        self.comma = False

    @cached_property
    def unit(self) -> str:
        """The unit in its name: "Length (m)", "Price EUR"."""
        found = re.search(r"[(\[]([^()]+)[)\]]\s*$", self.name) or re.search(r"(?<!per )(?<=\s|/)(\S+)$|^(\w+s)$", self.name)
        unit = next(filter(None, found.groups()), "") if found else ""
        return unit if found and (found[0][0] in "([" or unit_of(unit)) else ""

    @cached_property
    def terms(self) -> Term:
        """Stems of its name."""
        return tuple(terms(self.name))

    @cached_property
    def filled(self) -> dict[int, str]:
        """Its texts, without dashes and other signs of an empty cell."""
        return {row: text for row, text in self.texts.items() if text.lower() not in _NOTHING}

    @cached_property
    def _measured(self) -> tuple[dict[int, float], str | None, float]:
        if len(self.dates) * 2 > len(self.filled):
            return {row: float(day) for row, day in self.dates.items()}, "date", 1.0
        known = unit_of(self.unit) or (self.unit.lower(), 1.0)
        found: dict[int, float] = {}
        dimensions, factors = Counter[str](), set[float]()
        for row, text in self.filled.items():
            if clock := _CLOCK.fullmatch(text):
                (hours, minutes, seconds), unit = map(int, clock.groups()), ("time", 1.0)
                value = hours * 3600.0 + minutes * 60 + seconds
            elif match := _QUANTITY.fullmatch(text):
                said = match[4] or match[1]
                unit = (unit_of(said) or (said.lower(), 1.0)) if said else known
                value = number_of(match[3], comma=self.comma) * unit[1] * (-1 if match[2] else 1)
            else:
                continue
            found[row] = value
            dimensions[unit[0]] += 1
            factors.add(unit[1])
        if len(found) * 2 <= len(self.filled) or len(dimensions) != 1:
            return {}, None, 1.0
        return found, next(iter(dimensions)), factors.pop() if len(factors) == 1 else 0.0

    @property
    def numbers(self) -> dict[int, float]:
        """Its numbers in the basic unit, days for dates; empty if most cells have none, or units differ in kind."""
        return self._measured[0]

    @property
    def dimension(self) -> str | None:
        """What its numbers measure: "mass", "date", a unit of its own, or "" for plain numbers."""
        return self._measured[1]

    @property
    def factor(self) -> float:
        """The factor of its unit; 0 if its cells have several units."""
        return self._measured[2]

    @cached_property
    def yes(self) -> dict[int, bool]:
        """Whether a row says yes, if the column says nothing else; where yes is a sign, an empty cell says no."""
        found = {row: YES.get(text.lower()) for row, text in self.texts.items()}
        if True not in found.values() or None in found.values():
            return {}
        only = dict.fromkeys(self.rows, False) if False not in found.values() else {}
        return {**only, **{row: bool(said) for row, said in found.items()}}

    @cached_property
    def values(self) -> Mapping[Term, Sequence[int]]:
        """Rows by value: the stems of each short text that is no number."""
        found: dict[Term, list[int]] = defaultdict(list)
        by_text: dict[str, list[int]] = defaultdict(list)
        for row, text in self.filled.items():
            by_text[text].append(row)
        for text, rows in by_text.items():
            if len(text) <= _LONGEST_VALUE and text.lower() not in YES and not re.fullmatch(NUMBER, text):
                found[tuple(terms(text))] += rows
        found.pop((), None)
        return found


class ViewRow(NamedTuple):
    """A row of a table, with its document and span."""

    document_id: str
    table: int
    """Index of its table in the view."""
    char_start: int | None
    char_end: int | None


@dataclass(frozen=True)
class View:
    """The rows of the tables with the same header, by document and row.

    Attributes:
        tables: For each table, the title and file name of its document, its sheet, and the heading above.
        totals: Rows that sum up others; `live` are the rest.
    """

    columns: tuple[Column, ...]
    rows: Sequence[ViewRow]
    tables: Sequence[Sequence[str]]
    totals: frozenset[int]

    @cached_property
    def live(self) -> frozenset[int]:
        """Rows that are no totals."""
        return frozenset(range(len(self.rows))) - self.totals

    @cached_property
    def table_terms(self) -> tuple[frozenset[str], ...]:
        """Stems of each table's names."""
        return tuple(frozenset(term for name in names for term in terms(name)) for names in self.tables)


def views_of(snapshot: Snapshot) -> tuple[View, ...]:
    """Return the views of a snapshot's tables with a header and several rows."""
    columns = ["document_id", "ordinal", "sheet", "row", "row_span", "column", "header", "text", "iso", "value_type",
               "char_start", "char_end"]  # fmt: skip
    cells = snapshot.table("cells", [*columns, "is_header"])
    cells = cells.filter(~pc.field("is_header") & pc.field("header").is_valid()).select(columns)
    documents = snapshot.table("documents", ["document_id", "title", "path"])
    names = {
        row["document_id"]: (row["title"], row["path"].rpartition("/")[2].rpartition(".")[0])
        for row in documents.to_pylist()
    }
    blocks = snapshot.table("blocks", ["document_id", "ordinal", "kind", "text"])
    above = pc.is_in(blocks["kind"], value_set=pa.array(["heading", "caption"]))
    headings: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for row in blocks.filter(above).to_pylist():
        headings[row["document_id"]].append((row["ordinal"], row["text"]))
    rows = zip(*(cells[name].to_pylist() for name in columns), strict=True)
    by_header: dict[tuple[str, ...], list[tuple[list[str], list[_Cell]]]] = defaultdict(list)
    for (document, ordinal), group in groupby(map(_Cell._make, rows), key=lambda cell: cell[:2]):
        table = list(group)
        header = {cell.column: cell.header for cell in table}
        last = [text for place, text in sorted(headings[document]) if place < ordinal][-1:]
        called = [*names[document], *filter(None, [table[0].sheet]), *last]
        by_header[tuple(name for _, name in sorted(header.items()))].append((called, table))
    views = [_view(header, tables) for header, tables in by_header.items()]
    return tuple(view for view in views if len(view.live) >= _LEAST_ROWS)


class _Cell(NamedTuple):
    document_id: str
    ordinal: int
    sheet: str | None
    row: int
    row_span: int
    column: int
    header: str
    text: str
    iso: str | None
    value_type: str
    char_start: int | None
    char_end: int | None


def _view(header: Sequence[str], tables: Sequence[tuple[Sequence[str], Sequence[_Cell]]]) -> View:
    columns = tuple(map(Column, header))
    rows: list[ViewRow] = []
    totals: set[int] = set()
    for table, (_, cells) in enumerate(tables):
        first = len(rows)
        own = sorted({cell.row for cell in cells})
        row_of = {number: first + place for place, number in enumerate(own)}
        column_of = {number: columns[place] for place, number in enumerate(sorted({cell.column for cell in cells}))}
        for _, of_row in groupby(sorted(cells, key=lambda cell: cell.row), key=lambda cell: cell.row):
            found = list(of_row)
            span = [cell for cell in found if cell.char_end]
            start = min((cell.char_start or 0 for cell in span), default=None)
            rows.append(ViewRow(cells[0].document_id, table, start, max((cell.char_end or 0 for cell in span), default=None)))
            for cell in found:
                for number in range(cell.row, cell.row + cell.row_span):  # a merged cell holds for all its rows
                    if number in row_of:
                        column_of[cell.column].texts[row_of[number]] = cell.text
                if cell.value_type in ("date", "datetime") and cell.iso:
                    column_of[cell.column].dates[row_of[cell.row]] = date.fromisoformat(cell.iso[:10]).toordinal()
        totals.update(_totals(columns, range(first, len(rows))))
    comma = any(_DECIMAL_COMMA.search(text) for column in columns for text in column.texts.values())
    for column in columns:
        column.rows, column.comma = range(len(rows)), comma
    return View(columns, rows, [called for called, _ in tables], frozenset(totals))


def _totals(columns: Sequence[Column], rows: Sequence[int]) -> Iterator[int]:
    """Yield the rows that a word tells to be totals, and a last row whose numbers are the sums of those above."""
    for row in rows:
        if _TOTAL.match(next((column.texts[row] for column in columns if row in column.texts), "")):
            yield row
    summed = 0
    for column in columns:
        numbers = [column.texts[row] for row in rows if row in column.texts and row not in column.dates]
        if rows[-1] in column.texts and len(numbers) > 2 and all(re.fullmatch(NUMBER, text) for text in numbers):
            *above, last = map(number_of, numbers)
            if abs(sum(above) - last) > 1e-6 * max(1.0, abs(last)):
                return
            summed += 1
    if summed >= _LEAST_SUMMED or (summed and rows[-1] not in columns[0].texts):
        yield rows[-1]
