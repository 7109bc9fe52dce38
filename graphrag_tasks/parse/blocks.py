"""What a reader returns, and how its blocks are laid out in the document text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice, repeat
from typing import Any, NamedTuple

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.core.schemas import BLOCK_SEPARATOR
from graphrag_tasks.parse.tables import CELL_COLUMNS, Table, header_above
from graphrag_tasks.sources.encodings import Guess

METADATA, HEADING, FILE_NAME = "metadata", "heading", "file_name"  # Where a title was found.
_CELLS_AT_ONCE = 50_000  # Cells that are Python objects at a time; bounds memory.
MAX_CELLS = 1_000_000  # Table cells kept of a document, the first; the text is whole. Chosen.
_COPIED = tuple(name for name in CELL_COLUMNS if name not in ("start", "end"))


class Box(NamedTuple):
    """A bounding box on a page, in points; the origin is the top left."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True)
class Block:
    """A piece of a document, in reading order.

    Attributes:
        kind: title, heading, paragraph, list_item, table, code or caption.
        text: Clean text, stripped.
        level: Heading level from 1; None for other kinds.
        page: Page on which it begins, from 1, if the format has pages.
        box: Bounding box on that page.
        table: Cells of a table.
        has_link: Whether a part of its text is a hyperlink; of tables it is not told.
    """

    kind: str
    text: str
    level: int | None = None
    page: int | None = None
    box: Box | None = None
    table: Table | None = None
    has_link: bool = False


class Title(NamedTuple):
    """A title and where it was found: `METADATA` or `HEADING`."""

    text: str
    source: str


@dataclass(frozen=True)
class ParsedDocument:
    """A document as its reader returns it.

    Attributes:
        blocks: In reading order; none is empty.
        title: Title from the file's metadata, else its first heading, else None.
        pages_in: Pages of the file; None for formats without pages.
        pages_out: Pages that gave text.
        pages_ocr: Pages whose text was read by OCR.
        cells: Number of table cells; the blocks may hold fewer.
        pages_lost: Numbers of the pages that should have given text and did not.
        left_out: Number of parts that are in no block, by reason (`left_out.LeftOut`).
        encoding: Detected text encoding; None for formats that fix it.
        omitted: Which rows and columns of facts are left out, and why; empty if none are.
        said: Metadata in the file: key, value and where it stands (`properties`).
    """

    blocks: Sequence[Block]
    title: Title | None = None
    pages_in: int | None = None
    pages_out: int | None = None
    pages_ocr: int = 0
    cells: int = 0
    pages_lost: Sequence[int] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    encoding: Guess | None = None
    omitted: str = ""
    said: Sequence[tuple[str, str, str]] = ()

    @property
    def characters(self) -> int:
        """Length of the document text in characters."""
        separators = len(BLOCK_SEPARATOR) * max(0, len(self.blocks) - 1)
        return sum(len(block.text) for block in self.blocks) + separators


def limit_cells(parsed: ParsedDocument, max_cells: int = MAX_CELLS) -> ParsedDocument:
    """Count the document's table cells, and keep the first `max_cells` of them."""
    blocks: list[Block] = []
    count = 0
    for block in parsed.blocks:
        if block.table is not None and not block.table.repeats:
            first = block.table.first(max(0, max_cells - count))
            count += len(block.table)
            block = replace(block, table=first)
        blocks.append(block)
    return replace(parsed, blocks=blocks, cells=count)


def lay_out(document_id: str, blocks: Iterable[Block]) -> Iterator[dict[str, Any]]:
    """Yield one `schemas.BLOCKS` row per block, with its span in the document text."""
    for ordinal, (start, block) in enumerate(_placed(blocks)):
        yield {
            "document_id": document_id,
            "ordinal": ordinal,
            "kind": block.kind,
            "level": block.level,
            "text": block.text,
            "char_start": start,
            "char_end": start + len(block.text),
            "page": block.page,
            "bbox": block.box._asdict() if block.box else None,
            "has_link": block.has_link,
        }


def lay_out_cells(document_id: str, blocks: Iterable[Block]) -> pa.Table:
    """Return the `schemas.CELLS` rows of a document, with their spans in the document text."""
    made = [schemas.empty("cells")]
    for ordinal, (start, block) in enumerate(_placed(blocks)):
        if block.table is not None and not block.table.repeats:
            shared = {"document_id": document_id, "ordinal": ordinal, "page": block.page}
            columns = _columns(block.table, start, shared).items()
            left = {name: iter(values) for name, values in columns}
            for _ in range(0, len(block.table), _CELLS_AT_ONCE):
                some = {name: list(islice(values, _CELLS_AT_ONCE)) for name, values in left.items()}
                made.append(pa.Table.from_pydict(some, schema=schemas.CELLS))
    return pa.concat_tables(made)


def _placed(blocks: Iterable[Block]) -> Iterator[tuple[int, Block]]:
    start = 0
    for block in blocks:
        yield start, block
        start += len(block.text) + len(BLOCK_SEPARATOR)


def _columns(table: Table, start: int, shared: dict[str, Any]) -> dict[str, Iterable[Any]]:
    cells = table.cells
    shared = {**shared, "sheet": table.sheet}
    spans = zip(cells["column"], cells["col_span"], cells["is_header"], strict=True)
    return {
        **{name: repeat(value, len(table)) for name, value in shared.items()},
        **{name: cells[name] for name in _COPIED},
        "reference": _references(table),
        "header": (
            None if is_header else header_above(table.headers, column, span) for column, span, is_header in spans
        ),
        "char_start": (None if at is None else start + at for at in cells["start"]),
        "char_end": (None if at is None else start + at for at in cells["end"]),
    }


def _references(table: Table) -> Iterable[str | None]:
    if table.origin is None:
        return repeat(None, len(table))
    top, left = table.origin
    places = zip(table.cells["row"], table.cells["column"], strict=True)
    return (f"{_letters(left + column)}{top + row}" for row, column in places)


@cache
def _letters(number: int) -> str:
    letters = ""
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters
