"""Views: the rows of all tables that share a header, with the tables' names.

"Airports in Texas" may be spread over a dozen files with the same columns. So the tables of a snapshot with the same
header form a view, whose rows a question can filter and count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.storage.snapshots.store import Snapshot

_LEAST_ROWS = 2  # Rows of a view; with one there is nothing to filter or count.
_LONGEST_VALUE = 60  # Characters of a value that a question can name; longer cells are prose.

Term = tuple[str, ...]  # The stems of a name, for comparing values, columns and tables with a question.


@dataclass(frozen=True)
class Cell:
    """A cell of a row: its text, and its number if it has one."""

    text: str
    number: float | None
    """For a date, its year."""


@dataclass(frozen=True)
class ViewRow:
    """A row of a table, with its document and span."""

    document_id: str
    table: int
    """Index of its table in the view."""
    char_start: int | None
    char_end: int | None
    cells: Mapping[int, Cell]
    """Cells by column index in the view's header."""


class View:
    """The rows of the tables with the same header.

    Args:
        header: Names of the columns.
        rows: Ordered by document and row.
        tables: For each table, the title and file name of its document, and its sheet.
    """

    def __init__(self, header: tuple[str, ...], rows: Sequence[ViewRow], tables: Sequence[Sequence[str]]) -> None:
        self.header = header
        self.rows = rows
        self.tables = tables

    @property
    def names(self) -> tuple[str, ...]:
        """The distinct names of its tables."""
        return tuple(dict.fromkeys(name for names in self.tables for name in names))

    @cached_property
    def name_terms(self) -> frozenset[str]:
        """Stems of its tables' names."""
        return frozenset(term for names in self.table_terms for term in names)

    @cached_property
    def table_terms(self) -> tuple[frozenset[str], ...]:
        """Stems of each table's names."""
        return tuple(frozenset(term for name in names for term in terms(name)) for names in self.tables)

    @cached_property
    def column_terms(self) -> tuple[Term, ...]:
        """Stems of each column's name."""
        return tuple(tuple(terms(name)) for name in self.header)

    @cached_property
    def values(self) -> Mapping[Term, Mapping[int, tuple[int, ...]]]:
        """Row indexes by value (stems of each short text) and column."""
        found: dict[Term, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for place, row in enumerate(self.rows):
            for column, cell in row.cells.items():
                short = cell.number is None and len(cell.text) <= _LONGEST_VALUE
                if short and (key := tuple(terms(cell.text))):
                    found[key][column].append(place)
        return {key: {column: tuple(rows) for column, rows in columns.items()} for key, columns in found.items()}

    @cached_property
    def value_terms(self) -> frozenset[str]:
        """Stems of all short values."""
        return frozenset(term for key in self.values for term in key)

    def numbers(self, column: int) -> dict[int, float]:
        """Return the numbers of a column, by row."""
        return {
            place: cell.number
            for place, row in enumerate(self.rows)
            if (cell := row.cells.get(column)) and cell.number is not None
        }


def views_of(snapshot: Snapshot) -> tuple[View, ...]:
    """Return the views of a snapshot's tables with a header and several rows."""
    columns = ["document_id", "ordinal", "sheet", "row", "column", "is_header", "header", "text",
               "number", "iso", "value_type", "char_start", "char_end"]  # fmt: skip
    by_table: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    for cell in snapshot.table("cells", columns).to_pylist():
        if not cell["is_header"] and cell["header"]:
            by_table[cell["document_id"], cell["ordinal"]].append(cell)
    names = {
        row["document_id"]: (row["title"], row["path"].rpartition("/")[2].rpartition(".")[0])
        for row in snapshot.table("documents", ["document_id", "title", "path"]).to_pylist()
    }
    by_header: dict[tuple[str, ...], list[list[dict[str, Any]]]] = defaultdict(list)
    for cells in by_table.values():
        places = {cell["header"]: cell["column"] for cell in reversed(cells)}
        by_header[tuple(sorted(places, key=places.__getitem__))].append(cells)
    views = [_view(header, tables, names) for header, tables in by_header.items()]
    return tuple(view for view in views if len(view.rows) >= _LEAST_ROWS)


def _view(
    header: tuple[str, ...], tables: Sequence[Sequence[Mapping[str, Any]]], names: Mapping[str, tuple[str, str]]
) -> View:
    places = {name: place for place, name in enumerate(header)}
    first = [cells[0] for cells in tables]
    called = [(*names[row["document_id"]], *filter(None, [row["sheet"]])) for row in first]
    rows = [row for table, cells in enumerate(tables) for row in _rows(table, cells, places)]
    return View(header, rows, called)


def _rows(table: int, cells: Sequence[Mapping[str, Any]], places: Mapping[str, int]) -> Iterator[ViewRow]:
    by_row: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for cell in cells:
        by_row[cell["row"]].append(cell)
    for row in sorted(by_row):
        of_row = by_row[row]
        yield ViewRow(
            document_id=of_row[0]["document_id"],
            table=table,
            char_start=min((row["char_start"] for row in of_row if row["char_end"]), default=None),
            char_end=max((row["char_end"] for row in of_row if row["char_end"]), default=None),
            cells={places[row["header"]]: Cell(row["text"], _number(row)) for row in of_row},
        )


def _number(cell: Mapping[str, Any]) -> float | None:
    if cell["value_type"] in ("date", "datetime"):
        return float(cell["iso"][:4])
    number: float | None = cell["number"]
    return number
