"""Views: the rows of all tables with the same header, often of many files, which a question can filter and count."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import pyarrow.compute as pc

from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval.view.arrays import Records
from graphrag_tasks.storage.snapshots.store import Snapshot

_LEAST_ROWS = 2  # Rows of a view; with one there is nothing to filter or count.
_LONGEST_VALUE = 60  # Characters of a value that a question can name; longer cells are prose.

_FACTORS = {
    "mass": "mg .001 g 1 gram 1 grams 1 kg 1e3 kilos 1e3 kilograms 1e3 t 1e6 tons 1e6 tonnes 1e6 lb 453.6 pounds 453.6",
    "length": "mm .001 cm .01 m 1 metres 1 meters 1 km 1e3 kilometres 1e3 ft .3048 feet .3048 miles 1609.34",
    "time": "ms .001 s 1 sec 1 seconds 1 min 60 mins 60 minutes 60 h 3600 hrs 3600 hours 3600 days 86400 weeks 604800",
    "volume": "ml .001 cl .01 dl .1 l 1 litres 1 liters 1 m³ 1e3 m3 1e3",
    "€": "€ 1 eur 1 euro 1 euros 1", "$": "$ 1 usd 1 dollars 1", "£": "£ 1 gbp 1", "%": "% 1 percent 1",
}  # fmt: skip
MONEY = ("€", "$", "£")
_UNITS = {
    word: (dimension, float(factor))
    for dimension, said in _FACTORS.items()
    for word, factor in re.findall(r"(\S+) ([\d.e]+)", said)
}
NUMBER = r"\d{1,3}(?:[,.' ]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?"
_IS_NUMBER = re.compile(NUMBER).fullmatch
_QUANTITY = re.compile(rf"([€$£]?)\s*([-−]?)\s*({NUMBER})\s*([^\W\d]+[³2-3²]?|[€$£%])?")
_CLOCK = re.compile(r"(\d+):(\d\d):(\d\d)")
UNCLEAR = re.compile(r"[1-9]\d{0,2}\.\d{3}(?!\d)")  # Thousands or decimals: "1.250".
_DECIMAL_COMMA = re.compile(r"\d,\d{1,2}(?!\d)")
_NOTHING = frozenset({"-", "–", "—", "n/a", "na", "none", "null", "k.a."})
YES = {"yes": True, "true": True, "ja": True, "x": True, "✓": True, "y": True,
       "no": False, "false": False, "nein": False, "-": False, "✗": False, "n": False}  # fmt: skip
_TOTAL = re.compile(r"(?i)(?:(?:grand|sub|overall|zwischen)[- ]?)?(?:total|sum|summe|(?:ins)?gesamt|average|mean)s?\b")

Term = tuple[str, ...]  # The stems of a name, for comparing values, columns and tables with a question.


def unit_of(word: str) -> tuple[str, float] | None:
    """Return the dimension of a unit and its factor."""
    return _UNITS.get(word.lower()) or _UNITS.get(f"{word.lower()}s" if word else "")


def number_of(text: str, *, comma: bool = False) -> float:
    """Return the value of a number as written; `comma`: in a table with decimal commas."""
    if text.isdecimal():
        return float(text)
    last = max(text.rfind(","), text.rfind("."))
    grouped = re.fullmatch(r"\d{1,3}([,.' ])\d{3}(?:\1\d{3})*", text)
    if grouped and (grouped[1] not in ".," or text.count(grouped[1]) > 1 or (grouped[1] == ".") == comma):
        last = len(text)
    return float(re.sub(r"\D", "", text[:last]) + "." + text[last + 1 :])


class Measure(NamedTuple):
    """The numbers of a column by row, in the basic unit; days for dates."""

    numbers: dict[int, float]
    dimension: (
        str | None
    )  # A unit of its own, "" of plain numbers; None: most cells have none, or units differ in kind.
    factor: float  # Of its unit; 0 if its cells have several units.


class Column:
    """A column: its name, and by row its texts and the dates among them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.terms = tuple(terms(name))
        self.texts: dict[int, str] = {}
        self.dates: dict[int, float] = {}
        self.size = 0
        self.comma = False
        bracket = re.search(r"[(\[]([^()]+)[)\]]\s*$", name)
        last = re.search(r"(?<!per )(?<=\s|/)\S+$|^\w+s$", name)
        self.unit = bracket[1] if bracket else last[0] if last and unit_of(last[0]) else ""

    @cached_property
    def filled(self) -> dict[int, str]:
        """Its texts, without dashes and other signs of an empty cell."""
        return {row: text for row, text in self.texts.items() if text.lower() not in _NOTHING}

    @cached_property
    def measure(self) -> Measure:
        """What its cells measure."""
        if len(self.dates) * 2 > len(self.filled):
            return Measure(self.dates, "date", 1.0)
        numbers: dict[int, float] = {}
        units: set[tuple[str, float]] = set()
        for row, text in self.filled.items():
            if clock := _CLOCK.fullmatch(text):
                numbers[row], unit = float(clock[1]) * 3600 + float(clock[2]) * 60 + float(clock[3]), ("time", 1.0)
            elif match := _QUANTITY.fullmatch(text):
                said = match[4] or match[1] or self.unit
                unit = unit_of(said) or (said.lower(), 1.0)
                numbers[row] = number_of(match[3], comma=self.comma) * unit[1] * (-1 if match[2] else 1)
            else:
                continue
            units.add(unit)
        is_unclear = not self.comma and all(UNCLEAR.match(text) for text in self.filled.values())
        if is_unclear or len(numbers) * 2 <= len(self.filled) or len({dimension for dimension, _ in units}) != 1:
            return Measure({}, None, 1.0)
        (dimension, factor), *others = units
        return Measure(numbers, dimension, 0.0 if others else factor)

    @property
    def is_summed(self) -> bool:
        """Whether it holds numbers that are no dates."""
        return bool(self.measure.numbers) and self.measure.dimension != "date"

    def measures(self, dimensions: Set[str], said: Set[str]) -> bool:
        """Tell whether its numbers are of one of some dimensions, or its name has one of some words."""
        return bool(self.measure.numbers) and (self.measure.dimension in dimensions or bool(said & {*self.terms}))

    @cached_property
    def yes(self) -> dict[int, bool]:
        """Whether a row says yes, if the column says nothing else; where yes is a sign, an empty cell says no."""
        said = {YES.get(text.lower()) for text in {*self.texts.values()}}
        if True not in said or None in said:
            return {}
        rows = {} if False in said else dict.fromkeys(range(self.size), False)
        return {**rows, **{row: YES[text.lower()] for row, text in self.texts.items()}}

    @cached_property
    def rows_of(self) -> Mapping[str, list[int]]:
        """Rows by short text that is no number, and by each part of one that lists several."""
        found: dict[str, list[int]] = defaultdict(list)
        for row, text in self.filled.items():
            if len(text) <= _LONGEST_VALUE and text.lower() not in YES and not _IS_NUMBER(text):
                for part in dict.fromkeys([text, *re.split(r"[,;] ", text)]):
                    found[part].append(row)
        return found

    def values(self, asked: re.Pattern[str]) -> dict[Term, list[int]]:
        """Return rows by the stems of the values in which a pattern occurs."""
        found: dict[Term, list[int]] = defaultdict(list)
        for text, rows in self.rows_of.items():
            if asked.search(text):
                found[tuple(terms(text))] += rows
        return found


class ViewRow(NamedTuple):
    """A row of a table, with its document and span."""

    document_id: str
    table: int  # Index of its table in the view.
    char_start: int | None
    char_end: int | None


@dataclass(frozen=True)
class View:
    """The rows of the tables with the same header, by document and row."""

    columns: tuple[Column, ...]
    rows: list[ViewRow]
    tables: list[list[str]]  # Of each, the title and file name of its document, its sheet, and the heading above.
    totals: set[int]  # Rows that sum up others; `live` are the rest.
    outdated: set[str]  # Documents with such a table, which is left out.

    @cached_property
    def live(self) -> frozenset[int]:
        """Rows that are no totals."""
        return frozenset(range(len(self.rows))) - self.totals

    @cached_property
    def table_terms(self) -> tuple[frozenset[str], ...]:
        """Stems of each table's names."""
        return tuple(frozenset(term for name in names for term in terms(name)) for names in self.tables)

    @cached_property
    def beginnings(self) -> frozenset[str]:
        """The first letters of all words in names, columns and values: a word that begins otherwise is not in it."""
        names = [*self.table_terms, *(column.terms for column in self.columns), *(one.rows_of for one in self.columns)]
        return self.beginnings_of(" ".join(word for words in names for word in words))

    @staticmethod
    def beginnings_of(text: str) -> frozenset[str]:
        """Return the first letters of each word, in lower case."""
        return frozenset(re.findall(r"(?<![^\W_])[^\W_]{1,3}", text.lower()))


def views_of(snapshot: Snapshot, outdated: Set[str], kept: Set[str] | None = None) -> tuple[View, ...]:
    """Return the views of tables with a header and several rows, of the `kept` documents that are not `outdated`."""
    columns = ["document_id", "ordinal", "sheet", "column", "header", "row", "row_span", "text", "iso"]
    columns += ["char_start", "char_end"]
    cells = snapshot.table("cells", ["is_header", *columns])
    cells = cells.filter(pc.and_not(cells["header"].is_valid(), cells["is_header"]))
    names = {
        row["document_id"]: (row["title"], row["path"].rpartition("/")[2].rpartition(".")[0])
        for row in snapshot.table("documents", ["document_id", "title", "path"]).to_pylist()
    }
    blocks = snapshot.table("blocks", ["document_id", "ordinal", "kind", "text"])
    titles = [row for row, kind in enumerate(blocks["kind"].to_pylist()) if kind in ("heading", "caption")]
    above: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for row in Records(blocks).at(titles):  # an Arrow array of the kinds would import pandas
        above[row["document_id"]].append((row["ordinal"], row["text"]))
    views: dict[tuple[str, ...], View] = {}
    body = zip(*(cells[name].to_pylist() for name in columns), strict=True)
    for (document, ordinal, sheet), group in groupby(body, key=itemgetter(0, 1, 2)):
        if kept is not None and document not in kept:
            continue
        table = list(group)
        header = {cell[3]: cell[4] for cell in table}
        said = tuple(header[number] for number in sorted(header))
        view = views.setdefault(said, View(tuple(map(Column, said)), [], [], set(), set()))
        if document in outdated:
            view.outdated.add(document)
            continue
        last = [text for place, text in sorted(above[document]) if place < ordinal][-1:]
        view.tables.append([*names[document], *filter(None, [sheet]), *last])
        _fill(view, document, table, dict(zip(sorted(header), view.columns, strict=True)))
    return tuple(view for view in views.values() if len(view.live) >= _LEAST_ROWS)


def _fill(view: View, document: str, cells: Sequence[tuple[Any, ...]], columns: Mapping[int, Column]) -> None:
    """Add the rows of a table; a merged cell holds for all rows that it covers."""
    first = len(view.rows)
    row_of = {row: first + place for place, row in enumerate(sorted({cell[5] for cell in cells}))}
    spans: dict[int, tuple[int, int]] = {}
    for _, _, _, number, _, row, row_span, text, iso, start, end in cells:
        place, column = row_of[row], columns[number]
        column.texts[place] = text
        for covered in range(row + 1, row + row_span) if row_span > 1 else ():
            if covered in row_of:
                column.texts[row_of[covered]] = text
        if iso and iso[4:5] == "-":
            column.dates[place] = float(date.fromisoformat(iso[:10]).toordinal())
        if end:
            low, high = spans.get(place, (start, end))
            spans[place] = min(low, start), max(high, end)
    view.rows.extend(ViewRow(document, len(view.tables) - 1, *spans.get(at, (None, None))) for at in row_of.values())
    numbers = (text for text in (cell[7] for cell in cells) if "," in text and _DECIMAL_COMMA.search(text))
    comma = any(map(_QUANTITY.fullmatch, numbers))
    for column in view.columns:
        column.size, column.comma = len(view.rows), column.comma or comma
    view.totals.update(_totals(view.columns, range(first, len(view.rows))))


def _totals(columns: Sequence[Column], rows: range) -> Iterator[int]:
    """Yield the rows that a word tells to be totals, and a last row whose numbers are the sums of those above."""
    for row in rows:
        if _TOTAL.match(next((column.texts[row] for column in columns if row in column.texts), "")):
            yield row
    summed = 0
    for column in columns:
        texts = [column.texts[row] for row in rows if row in column.texts and row not in column.dates]
        if rows[-1] in column.texts and len(texts) > 2 and all(map(_IS_NUMBER, texts)):
            *above, last = (number_of(text, comma=column.comma) for text in texts)
            if abs(sum(above) - last) > 1e-6 * abs(last):
                return
            summed += 1
    if summed > 1 or (summed and rows[-1] not in columns[0].texts):
        yield rows[-1]
