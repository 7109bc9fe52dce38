"""Read workbooks: the tables of each sheet, with cell values.

openpyxl is used directly: Docling turns values into text, takes the first row of each group of cells for its header,
and drops a table's place on the sheet. Visible sheets are read, including hidden rows and columns. Formulas give their
stored value, links without one their label (`formulas`). Text boxes and comments follow the tables of their sheet.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from zipfile import ZipFile

import openpyxl
from openpyxl.packaging.relationship import get_dependents, get_rels_path
from openpyxl.reader.workbook import WorkbookParser
from openpyxl.utils.cell import range_boundaries
from openpyxl.worksheet.worksheet import Worksheet

from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import Block
from graphrag_tasks.parse.charts import OfBook, read_charts
from graphrag_tasks.parse.formulas import Place, formulas_without_value
from graphrag_tasks.parse.headers import SAMPLE_ROWS, Rows, Top, find_header
from graphrag_tasks.parse.package_texts import PartTexts, parse_part, read_part
from graphrag_tasks.parse.sheet_regions import Region, around, find_regions
from graphrag_tasks.parse.symbols import in_unicode
from graphrag_tasks.parse.tables import Cell, lay_out_table
from graphrag_tasks.parse.text import clean_text, one_line
from graphrag_tasks.parse.values import shown_value, value_of

_MAX_HEADERS = 4  # Limit of header rows, as in `headers`.
_PRINTED = ("oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter")
_FOR_OLD_PROGRAMS = re.compile(r"\A\[Threaded comment\].*?\bComment:\s*", re.DOTALL)


@dataclass
class Sheet:
    """A sheet: its filled cells, and which are bold, by place."""

    name: str
    header_rows: Sequence[Region] = ()  # where the workbook itself says that a table has its header
    cells: dict[Place, Cell] = field(default_factory=dict)
    bold: set[Place] = field(default_factory=set)
    comments: list[str] = field(default_factory=list)


def sheet_blocks(data: bytes, left_out: Counter[str]) -> Iterator[Block]:
    """Yield a heading for each visible sheet with text, then its content."""
    book = openpyxl.load_workbook(BytesIO(data), data_only=True)
    try:
        drawings = _read_drawings(data)
        formulas = formulas_without_value(data)
        for worksheet in map(book.__getitem__, book.sheetnames):
            drawing = drawings.get(worksheet.title, PartTexts())
            boxes = (clean_text("".join(text.runs)).strip() for text in drawing.texts)
            counts: Counter[str] = Counter()
            cells = _by_place(worksheet, formulas.get(worksheet.title, {}), counts)
            blocks = [*cells, *(Block("paragraph", box) for box in boxes if box)]
            if worksheet.sheet_state != Worksheet.SHEETSTATE_VISIBLE:
                left_out[LeftOut.HIDDEN] += bool(blocks)
                continue
            left_out.update(counts)
            if blocks:
                yield Block("heading", one_line(worksheet.title), level=1)
                yield from blocks
                left_out.update(drawing.left_out)
                left_out[LeftOut.HEADER_FOOTER] += _page_furniture(worksheet)
    finally:
        book.close()


def _read_drawings(data: bytes) -> dict[str, PartTexts]:
    """Return the texts of shapes and diagrams by sheet, which openpyxl drops."""
    found: dict[str, PartTexts] = {}
    with ZipFile(BytesIO(data)) as package:
        book = WorkbookParser(package, "xl/workbook.xml", keep_links=False)
        book.parse()
        for sheet, relation in book.find_sheets():
            for drawing in _related(package, relation.target, "/drawing"):
                parts = [drawing, *_related(package, drawing, "/diagramData")]
                for root in (parse_part(package.read(part)) for part in parts):
                    if root is not None:
                        found.setdefault(sheet.name, PartTexts()).add(read_part(root))
    return found


def _related(package: ZipFile, part: str, kind: str) -> list[str]:
    names, relations = set(package.namelist()), get_rels_path(part)
    dependents = get_dependents(package, relations) if relations in names else ()
    return [one.target for one in dependents if one.Type.endswith(kind) and one.target in names]


def _page_furniture(worksheet: OfBook) -> int:
    """Return the number of texts in a sheet's printed headers and footers."""
    printed = (getattr(worksheet, name, None) for name in _PRINTED)
    sides = (side for one in printed if one for side in (one.left, one.center, one.right))
    return sum(bool((side.text or "").strip()) for side in sides)


def _by_place(worksheet: OfBook, formulas: Mapping[Place, str | None], left_out: Counter[str]) -> Iterator[Block]:
    """Yield a sheet's blocks; each chart follows the tables that begin above it."""
    charts = deque(read_charts(worksheet))
    if isinstance(worksheet, Worksheet):
        sheet = _read_sheet(worksheet, formulas, left_out)
        for region, cells in _tables(sheet):
            while charts and charts[0].row < region.top:
                yield from charts.popleft().blocks
            yield from _table_blocks(sheet, region, cells)
        for comment in sheet.comments:
            yield Block("paragraph", comment)
    for chart in charts:
        yield from chart.blocks


def tables_of(sheet: Sheet) -> Iterator[Block]:
    """Yield the tables of a sheet, with the texts above them."""
    for region, rows in _tables(sheet):
        yield from _table_blocks(sheet, region, rows)


def _read_sheet(worksheet: OfBook, formulas: Mapping[Place, str | None], left_out: Counter[str]) -> Sheet:
    last_row, last_column = worksheet.max_row, worksheet.max_column
    spans = {
        (merged.min_row, merged.min_col): (
            min(merged.max_row, last_row) - merged.min_row + 1,
            min(merged.max_col, last_column) - merged.min_col + 1,
        )
        for merged in worksheet.merged_cells.ranges
    }
    sheet = Sheet(worksheet.title, list(_header_rows(worksheet)))
    # `iter_rows` would visit, and make, each place up to the last cell.
    for found in (cell for _, cell in sorted(worksheet._cells.items())):
        if found.comment is not None and (comment := comment_text(found.comment.text)):
            sheet.comments.append(comment)
        place, content = (found.row, found.column), found.value
        if place in formulas:
            content = formulas[place]
            left_out[LeftOut.FORMULA_WITHOUT_VALUE] += content is None
        if content is None:
            continue
        if isinstance(content, str):
            content = in_unicode(content, found.font.name or "")
        text, value = shown_value(content, found.number_format, found.data_type)
        if text:
            sheet.cells[place] = Cell(*place, text, *spans.get(place, (1, 1)), value=value)
            if found.font.b:
                sheet.bold.add(place)
    return sheet


def comment_text(text: str) -> str:
    """Return a comment's text, without the notice for programs that do not support threads."""
    return clean_text(_FOR_OLD_PROGRAMS.sub("", text)).strip()


def _header_rows(worksheet: OfBook) -> Iterator[Region]:
    ranges = [table.ref for table in worksheet.tables.values() if table.headerRowCount != 0]
    for reference in (*ranges, worksheet.auto_filter.ref):
        if reference:
            left, top, right, _ = range_boundaries(reference)
            if top and left and right:
                yield Region(top, left, top, right)


def _tables(sheet: Sheet) -> list[tuple[Region, Rows]]:
    """Return each table's range and rows; blank rows inside do not end a table."""
    regions = find_regions(
        Region(row, column, row + cell.row_span - 1, column + cell.col_span - 1)
        for (row, column), cell in sheet.cells.items()
    )
    tables: list[tuple[Region, Rows]] = []
    for region, rows in _rows_by_region(sheet, regions).items():
        if tables and _continues(sheet, tables[-1], (region, rows)):
            above, upper = tables[-1]
            tables[-1] = (around([above, region]), [*upper, *rows])
        else:
            tables.append((region, rows))
    return tables


def _rows_by_region(sheet: Sheet, regions: Sequence[Region]) -> dict[Region, Rows]:
    rows: dict[Region, dict[int, list[Cell]]] = {region: defaultdict(list) for region in regions}
    active: list[Region] = []
    pending = list(reversed(regions))
    for row, column in sorted(sheet.cells):
        while pending and pending[-1].top <= row:
            active.append(pending.pop())
        if any(region.bottom < row for region in active):
            active = [region for region in active if region.bottom >= row]
        home = next(region for region in active if region.contains(row, column))
        rows[home][row].append(sheet.cells[row, column])
    return {region: list(found.values()) for region, found in rows.items()}


def _continues(sheet: Sheet, above: tuple[Region, Rows], below: tuple[Region, Rows]) -> bool:
    """Tell whether rows without a header continue the table above a gap, in the same columns.

    After more than one blank row, their value types have to match too.
    """
    upper, lower = above[0], below[0]
    same_columns = (upper.left, upper.right) == (lower.left, lower.right)
    if not same_columns or upper.left == upper.right:
        return False
    if lower.top > upper.bottom + 2 and _types(above[1][-1]) != _types(below[1][0]):
        return False
    return _top(sheet, *above).headers > 0 and _top(sheet, *below) == Top(0, 0)


def _types(row: Sequence[Cell]) -> list[tuple[int, str]]:
    return [(cell.column, (cell.value or value_of(cell.text)).type) for cell in row]


def _top(sheet: Sheet, region: Region, rows: Rows) -> Top:
    found = find_header(rows, lambda row: all(cell[:2] in sheet.bold for cell in row))
    for header in sheet.header_rows:
        if header.overlaps(region):
            above = sum(row[0].row < header.top for row in rows[:SAMPLE_ROWS])
            titles = min(above, found.titles)
            if above - titles < _MAX_HEADERS:
                return Top(titles, above - titles + 1)
    is_list = region.left == region.right and rows[0][0][:2] not in sheet.bold
    return Top(0, 0) if is_list else found


def _table_blocks(sheet: Sheet, region: Region, rows: Rows) -> Iterator[Block]:
    if sum(map(len, rows)) == 1:
        yield Block("paragraph", rows[0][0].text)
        return
    top = _top(sheet, region, rows)
    for row in rows[: top.titles]:
        yield Block("caption", row[0].text)
    origin = (rows[top.titles][0].row, region.left)
    cells = top.body(rows, region.left)
    text, table = lay_out_table(cells, sheet=one_line(sheet.name), origin=origin)
    yield Block("table", text, table=table)
