"""What stands around a sentence: the kind of its block, its list's lead, the key of its row."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.extract.linear.pointers import leads_elsewhere, tells_what_is_next
from graphrag_tasks.extract.tables import CELL_COLUMNS, keyed_cells, relation_of
from graphrag_tasks.language.cells import prose_rows

LINE_KINDS = frozenset({"code", "table"})
"""Kinds of blocks whose lines are no sentences."""
CELL = "cell"
"""Kind of the place of sentences in a cell of prose."""

_SAYS_WHAT = re.compile(
    r"have (?:details|notes?|represents|purpose|comments?|remarks?|summary|overview|function|usage)"
)
"""Relations of columns whose phrases say what the key is."""
_MAX_KEYED_CELLS = 100_000
"""Cells of a table that are looked at for its keys: the first of them."""
_PROSE_COLUMNS = ("document_id", "ordinal", "row", "column", "char_start", "char_end")
_LONGEST_HEADING = 80
_COLUMNS = ["document_id", "kind", "level", "text", "char_start", "links"]

_Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RowKey:
    """What a cell of prose is about.

    Attributes:
        name: The cell that names its row.
        kind: Header of the column of such cells, or "".
        relation: What a phrase in the cell is to the key: "be", or what the header says.
    """

    name: str
    kind: str = ""
    relation: str = "be"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of prose: its characters in the document, and what it is about."""

    start: int
    end: int
    key: RowKey | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a sentence stands.

    Attributes:
        kind: Kind of its block, or `CELL`.
        lead: Text of the paragraph that leads to the list it is an item of; None elsewhere, and
            for what follows the first sentence of an item.
        key: What its cell is about, if it stands in one of a row that has a name.
        opens: Whether it is the first sentence of its cell.
        is_pointer: Whether its block only leads to other pages: an item, or a text with a link,
            below "See also" and the like; below "Next steps" one with a link.
    """

    kind: str
    lead: str | None = None
    key: RowKey | None = None
    opens: bool = False
    is_pointer: bool = False


class Places:
    """Finds the places of sentences.

    Args:
        blocks: Blocks of their documents, in any order (`schemas.BLOCKS`).
        cells: Cells of their documents (`schemas.CELLS`).
    """

    def __init__(self, blocks: pa.Table, cells: pa.Table) -> None:
        by_document: dict[str, list[_Row]] = defaultdict(list)
        for row in blocks.select(_COLUMNS).sort_by("char_start").to_pylist():
            by_document[row["document_id"]].append(row)
        self._blocks = by_document
        self._starts = {
            document_id: [row["char_start"] for row in rows]
            for document_id, rows in by_document.items()
        }
        self._pointers = {document_id: _pointers(rows) for document_id, rows in by_document.items()}
        self._cells = CellPlaces(cells)

    def of(self, sentence: _Row) -> Place:
        """Return the place of a sentence.

        Args:
            sentence: A row with `document_id` and `char_start`; where its document has no blocks,
                it is taken for a paragraph.
        """
        document_id, start = sentence["document_id"], sentence["char_start"]
        cell = self._cells.of(sentence)
        if cell is not None:
            return Place(CELL, key=cell.key, opens=start == cell.start)
        index = bisect_right(self._starts.get(document_id, []), start) - 1
        if index < 0:
            return Place("paragraph")
        block = self._blocks[document_id][index]
        is_pointer = index in self._pointers[document_id]
        is_first = block["char_start"] == start
        if block["kind"] != "list_item" or not is_first:
            return Place(block["kind"], is_pointer=is_pointer)
        return Place("list_item", self._lead(document_id, index), is_pointer=is_pointer)

    def _lead(self, document_id: str, index: int) -> str | None:
        blocks = self._blocks[document_id]
        while index >= 0 and blocks[index]["kind"] == "list_item":
            index -= 1
        return (
            blocks[index]["text"] if index >= 0 and blocks[index]["kind"] == "paragraph" else None
        )


def _pointers(blocks: Sequence[Mapping[str, Any]]) -> frozenset[int]:
    """Return the numbers of the blocks of a document that only lead to other pages."""
    found: list[int] = []
    level: int | None = None  # of the heading that leads elsewhere
    only_linked = False  # as it may have steps below it
    in_list = False  # behind a paragraph that does
    for number, block in enumerate(blocks):
        kind, leads = block["kind"], leads_elsewhere(block["text"][:_LONGEST_HEADING])
        if kind in ("title", "heading"):
            own = block["level"] or 0
            if level is None or own <= level:
                level = own if leads else None
                only_linked = leads and tells_what_is_next(block["text"])
        if kind != "list_item":
            in_list = kind == "paragraph" and leads
        is_item = kind == "list_item" and not only_linked
        if (level is not None or in_list) and (is_item or block["links"]):
            found.append(number)
    return frozenset(found)


class CellPlaces:
    """Finds the cells of prose that sentences stand in.

    Args:
        cells: Cells of their documents (`schemas.CELLS`).
    """

    def __init__(self, cells: pa.Table) -> None:
        self._cells: dict[str, list[Cell]] = defaultdict(list)
        for document_id, cell in _prose_cells(cells):
            self._cells[document_id].append(cell)
        for found in self._cells.values():
            found.sort(key=lambda cell: cell.start)
        self._starts = {one: [cell.start for cell in found] for one, found in self._cells.items()}

    def of(self, sentence: _Row) -> Cell | None:
        """Return the cell of prose that a sentence stands in, or None."""
        document_id, start = sentence["document_id"], sentence["char_start"]
        index = bisect_right(self._starts.get(document_id, []), start) - 1
        if index < 0:
            return None
        cell = self._cells[document_id][index]
        return cell if start < cell.end else None


def _prose_cells(cells: pa.Table) -> Iterator[tuple[str, Cell]]:
    """Yield the cells of prose with their documents; only their tables are looked at for keys."""
    prose: dict[tuple[str, int], list[_Row]] = defaultdict(list)
    for row in prose_rows(cells, _PROSE_COLUMNS):
        prose[row["document_id"], row["ordinal"]].append(row)
    of_tables = cells.filter(~pc.field("is_header"))
    for document_id, tables in groupby(sorted(prose), key=itemgetter(0)):
        of_document = of_tables.filter(pc.field("document_id") == document_id)
        for _, ordinal in tables:
            table = of_document.filter(pc.field("ordinal") == ordinal).slice(0, _MAX_KEYED_CELLS)
            keys = {
                (cell["row"], cell["column"]): _row_key(key, cell)
                for key, cell in keyed_cells(table.select(CELL_COLUMNS).to_pylist())
            }
            for one in prose[document_id, ordinal]:
                key = keys.get((one["row"], one["column"]))
                yield document_id, Cell(one["char_start"], one["char_end"], key)


def _row_key(key: _Row, cell: _Row) -> RowKey:
    relation = relation_of(key["header"], cell["header"]) or "be"
    if _SAYS_WHAT.match(relation):
        relation = "be"
    return RowKey(key["text"], key["header"] or "", relation)
