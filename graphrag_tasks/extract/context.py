"""Context of a sentence: block kind, text before its list, key of its table row."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.extract.linear.patterns import leads_elsewhere, tells_what_is_next
from graphrag_tasks.extract.tables import CELL_COLUMNS, keyed_cells, relation_of
from graphrag_tasks.language.cells import prose_rows
from graphrag_tasks.language.reference_matter import reference_matter

PLACE = ("sentence_id", "chunk_id", "document_id")  # Columns that locate a row in the corpus.
LINE_KINDS = frozenset({"code", "table"})  # Kinds of blocks whose lines are not sentences.
CELL = "cell"  # Kind of the context of sentences in a prose cell.

_SAYS_WHAT = re.compile(
    r"have (?:details|notes?|represents|purpose|comments?|remarks?|summary|overview|function|usage)"
)
"""Relations of columns whose phrases describe the key."""
_MAX_KEYED_CELLS = 100_000  # Cells of a table in which keys are searched, from its start.
_PROSE_COLUMNS = ("document_id", "ordinal", "row", "column", "char_start", "char_end")
_LONGEST_HEADING = 80  # Longest heading, or beginning of a paragraph, in characters, that may announce links. Chosen.
_COLUMNS = ["document_id", "kind", "level", "text", "char_start", "has_link"]

_Row = Mapping[str, Any]


class RowKey(NamedTuple):
    """The row key that a prose cell is about."""

    name: str  # the cell that names its row
    kind: str = ""  # header of the column of such cells, or ""
    relation: str = "be"  # what a phrase in the cell is to the key: "be", or what the header says


class Cell(NamedTuple):
    """A prose cell: its span in the document, and the row key."""

    start: int
    end: int
    key: RowKey | None = None


class Place(NamedTuple):
    """The context of a sentence.

    `is_pointer` marks sentences that only refer elsewhere: list items and texts with links below headings such as "See
    also", items with links below "Next steps", and lines of contents, indexes and bibliographies.
    """

    kind: str  # of its block, or `CELL`
    lead: str | None = None  # the paragraph before the list, for the first sentence of an item
    key: RowKey | None = None  # what its cell is about, if its row has a name
    opens: bool = False  # whether it is the first sentence of its cell
    is_pointer: bool = False  # whether its block only leads elsewhere
    block: int = -1  # place of its block in the document, if it is in no cell


class Places:
    """Finds the context of sentences from the blocks and cells of their documents."""

    def __init__(self, blocks: pa.Table, cells: pa.Table) -> None:
        by_document: dict[str, list[_Row]] = defaultdict(list)
        for row in blocks.select(_COLUMNS).sort_by("char_start").to_pylist():
            by_document[row["document_id"]].append(row)
        self._blocks = by_document
        self._pointers = {document_id: _pointers(rows) for document_id, rows in by_document.items()}
        self._cells = CellPlaces(cells)

    def of(self, sentence: _Row) -> Place:
        """Return the context of a row with `document_id` and `char_start`.

        A sentence of a document without blocks counts as a paragraph.
        """
        document_id, start = sentence["document_id"], sentence["char_start"]
        cell = self._cells.of(sentence)
        if cell is not None:
            return Place(CELL, key=cell.key, opens=start == cell.start)
        blocks = self._blocks.get(document_id, ())
        index = bisect_right(blocks, start, key=itemgetter("char_start")) - 1
        if index < 0:
            return Place("paragraph")
        kind, is_pointer = blocks[index]["kind"], index in self._pointers[document_id]
        is_first = blocks[index]["char_start"] == start
        lead = _lead(blocks, index) if kind == "list_item" and is_first else None
        return Place(kind, lead, is_pointer=is_pointer, block=index)


def _lead(blocks: Sequence[_Row], index: int) -> str | None:
    """Return the paragraph before the list of an item, or None."""
    while index >= 0 and blocks[index]["kind"] == "list_item":
        index -= 1
    is_paragraph = index >= 0 and blocks[index]["kind"] == "paragraph"
    return blocks[index]["text"] if is_paragraph else None


def _pointers(blocks: Sequence[_Row]) -> frozenset[int]:
    """Return the indexes of a document's blocks that only refer elsewhere."""
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
        if (level is not None or in_list) and (is_item or block["has_link"]):
            found.append(number)
    return reference_matter(blocks).union(found)


class CellPlaces:
    """Finds the prose cells that contain sentences."""

    def __init__(self, cells: pa.Table) -> None:
        self._cells: dict[str, list[Cell]] = defaultdict(list)
        for document_id, cell in _prose_cells(cells):
            self._cells[document_id].append(cell)
        for found in self._cells.values():
            found.sort(key=lambda cell: cell.start)

    def of(self, sentence: _Row) -> Cell | None:
        """Return the prose cell that contains a sentence, or None."""
        found, start = self._cells.get(sentence["document_id"], []), sentence["char_start"]
        index = bisect_right(found, start, key=lambda cell: cell.start) - 1
        return found[index] if index >= 0 and start < found[index].end else None


def _prose_cells(cells: pa.Table) -> Iterator[tuple[str, Cell]]:
    """Yield the prose cells with their documents; keys are searched only in their tables."""
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
            for told in prose[document_id, ordinal]:
                key = keys.get((told["row"], told["column"]))
                yield document_id, Cell(told["char_start"], told["char_end"], key)


def _row_key(key: _Row, cell: _Row) -> RowKey:
    relation = relation_of(key["header"], cell["header"]) or "be"
    if _SAYS_WHAT.match(relation):
        relation = "be"
    return RowKey(key["text"], key["header"] or "", relation)
