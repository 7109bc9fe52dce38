"""Read OpenDocument spreadsheets: the tables of each sheet, with cell values.

Tables and headers are detected as in Excel workbooks (`workbook`). Comments, text boxes and charts follow the tables of
their sheet.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass, field, replace

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import Block, ParsedDocument
from graphrag_tasks.parse.markup import read_written
from graphrag_tasks.parse.metadata import find_title
from graphrag_tasks.parse.odf import OdfWriter, open_document, span
from graphrag_tasks.parse.package_texts import Element, attribute, has_words, local_name, text_of
from graphrag_tasks.parse.tables import Cell
from graphrag_tasks.parse.text import one_line
from graphrag_tasks.parse.values import Value, numeric, value_of
from graphrag_tasks.parse.workbook import Sheet, tables_of

_MAX_CELLS = 4_000_000
"""Limit of filled cells per sheet, repeats included; bounds memory, as one cell may be repeated a million times."""
_MAX_COPIES = 500_000
"""Limit of repeated cells per file: 10 kB may ask for millions, five seconds for each. Real sheets repeat some
thousands. Chosen."""
_ROWS = ("table-header-rows", "table-rows", "table-row-group")
_DURATION = re.compile(r"PT(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S")
_NUMBERS = {"float": "number", "currency": "number", "percentage": "percent"}


def read_ods(data: bytes) -> ParsedDocument:
    """Read a spreadsheet: a heading for each sheet with text, then its tables."""
    blocks: list[Block] = []
    with open_document(data, "ods") as document:
        writer, copies = document.writer(), Counter[str]()
        hidden = document.styles_with("table-properties", "display", "false")
        bold = document.styles_with("text-properties", "font-weight", "bold")
        for part in document.body:
            if local_name(part) != "table":
                blocks += read_written(writer.write([part])).blocks
            elif attribute(part, "style-name") in hidden:
                writer.left_out[LeftOut.HIDDEN] += has_words(part)
            else:
                blocks += _sheet_blocks(part, bold, writer, copies)
    # Its headings are names of sheets, not titles.
    return ParsedDocument(blocks, find_title([document.title], ()), left_out=writer.left_out)


def _sheet_blocks(table: Element, bold: Set[str], writer: OdfWriter, copies: Counter[str]) -> list[Block]:
    reading = _Reading(Sheet(one_line(attribute(table, "name"))), bold, writer, copies)
    reading.read(table)
    blocks = list(tables_of(reading.sheet))
    if reading.beside:
        blocks += map(_repeating, read_written(writer.write(reading.beside)).blocks)
    heading = Block("heading", one_line(reading.sheet.name), level=1)
    return [heading, *blocks] if blocks and heading.text else blocks


def _repeating(block: Block) -> Block:
    """Mark a chart's table as repeating data of cells."""
    table = block.table
    return block if table is None else replace(block, table=replace(table, repeats=True))


@dataclass
class _Reading:
    sheet: Sheet
    bold: Set[str]
    writer: OdfWriter
    copies: Counter[str]
    beside: list[Element] = field(default_factory=list)
    row: int = 1

    def read(self, element: Element) -> None:
        for child in element:
            name = local_name(child)
            if name in _ROWS:
                self.read(child)
            elif name == "table-row":
                self._read_row(child)
            elif not name.startswith("table-column"):
                self.beside.append(child)

    def _read_row(self, row: Element) -> None:
        repeats = span(row, "number-rows-repeated")
        cells = list(self._cells(row))
        self._check(repeats * len(cells), (repeats - 1) * len(cells))
        for number in range(self.row, self.row + (repeats if cells else 0)):
            for cell, is_bold in cells:
                place = (number, cell.column)
                self.sheet.cells[place] = cell._replace(row=number)
                if is_bold:
                    self.sheet.bold.add(place)
        self.row += repeats

    def _check(self, more: int, copies: int = 0) -> None:
        """Raise before too many cells are made; copies are counted over all sheets."""
        self.copies["cells"] += copies
        most = _MAX_CELLS if len(self.sheet.cells) + more > _MAX_CELLS else _MAX_COPIES
        if most == _MAX_CELLS or self.copies["cells"] > _MAX_COPIES:
            what = f"the sheet {self.sheet.name} has more than {most} filled or repeated cells"
            hint = "Delete the repeated cells, or save the sheet as CSV"
            raise DocumentError("too_large", what, hint=hint)

    def _cells(self, row: Element) -> Iterator[tuple[Cell, bool]]:
        """Yield the filled cells of a row, and whether they are bold."""
        column = 1
        for element in row:
            if local_name(element) not in ("table-cell", "covered-table-cell"):
                self.beside.append(element)
                continue
            repeats = span(element, "number-columns-repeated")
            if local_name(element) == "covered-table-cell":
                self.writer.left_out[LeftOut.HIDDEN] += has_words(element)
            else:
                self.beside += (one for one in element if local_name(one) != "p")
                yield from self._repeated(element, column, repeats)
            column += repeats

    def _repeated(self, element: Element, column: int, repeats: int) -> Iterator[tuple[Cell, bool]]:
        text, value = _shown(element)
        if not text:
            has_formula = bool(attribute(element, "formula"))
            self.writer.left_out[LeftOut.FORMULA_WITHOUT_VALUE] += has_formula
            return
        self._check(repeats, repeats - 1)
        spans = span(element, "number-rows-spanned"), span(element, "number-columns-spanned")
        self._check(spans[0] * spans[1])
        is_bold = attribute(element, "style-name") in self.bold
        for at in range(column, column + repeats):
            yield Cell(self.row, at, text, *spans, value=value), is_bold


def _shown(cell: Element) -> tuple[str, Value | None]:
    """Return a cell's displayed text and its value; None if the text shows it."""
    lines = (text_of(one) for one in cell if local_name(one) == "p")
    text = one_line(" ".join(lines))
    kinds = [attribute(cell, "value-type")]
    kinds += [value for key, value in cell.attrib.items() if key.endswith("calcext:1.0}value-type")]
    kind = "error" if "error" in kinds else kinds[0]
    if kind in _NUMBERS:
        return _number(text, attribute(cell, "value"), _NUMBERS[kind])
    if kind == "date":
        date = one_line(attribute(cell, "date-value").replace("T", " "))
        found = value_of(date)
        return (date, found) if found.iso else (text or date, None)
    if kind == "time":
        return _time(text, attribute(cell, "time-value"))
    if kind == "boolean":
        is_true = attribute(cell, "boolean-value") == "true"
        return text or str(is_true).upper(), Value("boolean", float(is_true))
    text = text or one_line(attribute(cell, "string-value"))
    if kind == "error":
        return text, Value("error")
    return text, Value("text") if kind == "string" else None


def _number(text: str, said: str, kind: str) -> tuple[str, Value | None]:
    try:
        number = float(said)
    except ValueError:
        return text, None
    if kind == "number" and number.is_integer():
        kind = "integer"
    return text or said, numeric(kind, number)


def _time(text: str, said: str) -> tuple[str, Value | None]:
    found = _DURATION.fullmatch(said)
    if found is None:
        return text or said, None
    hours, minutes, seconds = (part.zfill(2) for part in found.groups())
    clock = f"{hours}:{minutes}:{seconds}"
    value = value_of(clock)
    return text or clock, value if value.iso else None
