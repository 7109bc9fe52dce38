"""Workbooks: the tables of each sheet, with the values that their cells hold.

openpyxl is used directly: Docling makes text of every value, so that a date, a percentage and an
amount look alike, takes the first row of each group of cells for its header, and does not say
where on the sheet a table lies.

What is read: visible sheets; hidden rows and columns too, since filters and outlines hide rows
that hold all the same; of a formula its value when the file was saved; charts; and behind the
tables of a sheet its text boxes and the comments on its cells.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import openpyxl
from openpyxl.utils.cell import range_boundaries
from openpyxl.worksheet.worksheet import Worksheet

from graphrag_tasks.parse.blocks import Block, Link
from graphrag_tasks.parse.charts import read_charts
from graphrag_tasks.parse.headers import Rows, Top, find_header
from graphrag_tasks.parse.left_out import LeftOut
from graphrag_tasks.parse.number_formats import shown_value
from graphrag_tasks.parse.package_texts import PartTexts
from graphrag_tasks.parse.sheet_margins import comment_text, page_furniture, read_drawings
from graphrag_tasks.parse.sheet_regions import Region, find_regions
from graphrag_tasks.parse.tables import Cell, Table, lay_out_table
from graphrag_tasks.parse.text import clean_text, one_line

_SAMPLE_ROWS = 100
_MAX_HEADERS = 4
_HEADING_LEVEL = 1


@dataclass(frozen=True)
class _Sheet:
    """What is known of a sheet.

    Attributes:
        name: As its tab shows it.
        cells: Filled cells by row and column of the sheet, with their spans.
        bold: Places of those in bold type.
        header_rows: Where the workbook itself says that a table has its header.
        links: What the cells at these places refer to.
        comments: What is said about its cells.
    """

    name: str
    cells: Mapping[tuple[int, int], Cell]
    bold: frozenset[tuple[int, int]]
    header_rows: Sequence[Region]
    links: Mapping[tuple[int, int], str]
    comments: Sequence[str]


def sheet_blocks(data: bytes, left_out: Counter[str]) -> Iterator[Block]:
    """Yield a heading for each visible sheet with text, and what stands on it.

    Args:
        data: The workbook.
        left_out: Takes how many parts are left out, by reason.
    """
    book = openpyxl.load_workbook(BytesIO(data), data_only=True)
    try:
        drawings = read_drawings(data)
        for worksheet in map(book.__getitem__, book.sheetnames):
            drawing = drawings.get(worksheet.title, PartTexts())
            blocks = list(_by_place(worksheet))
            blocks += _boxes(drawing)
            if worksheet.sheet_state != Worksheet.SHEETSTATE_VISIBLE:
                left_out[LeftOut.HIDDEN] += bool(blocks)
            elif blocks:
                yield Block("heading", one_line(worksheet.title), level=_HEADING_LEVEL)
                yield from blocks
                left_out.update(drawing.left_out)
                left_out[LeftOut.HEADER_FOOTER] += page_furniture(worksheet)
    finally:
        book.close()


def _boxes(drawing: PartTexts) -> Iterator[Block]:
    for text in drawing.texts:
        if words := clean_text("".join(text.runs)).strip():
            yield Block("paragraph", words)


def _by_place(worksheet: Any) -> Iterator[Block]:  # noqa: ANN401 - openpyxl has no types
    """Yield a sheet's blocks, each chart behind the tables that begin in a row above its own."""
    charts = deque(read_charts(worksheet))
    if isinstance(worksheet, Worksheet):
        sheet = _read_sheet(worksheet)
        for region, cells in _tables(sheet):
            while charts and charts[0].row < region.top:
                yield from charts.popleft().blocks
            yield from _table_blocks(sheet, region, cells)
        for comment in sheet.comments:
            yield Block("paragraph", comment)
    for chart in charts:
        yield from chart.blocks


def _read_sheet(worksheet: Any) -> _Sheet:  # noqa: ANN401
    spans = {
        (merged.min_row, merged.min_col): (
            min(merged.max_row, worksheet.max_row) - merged.min_row + 1,
            min(merged.max_col, worksheet.max_column) - merged.min_col + 1,
        )
        for merged in worksheet.merged_cells.ranges
    }
    cells: dict[tuple[int, int], Cell] = {}
    bold: set[tuple[int, int]] = set()
    links: dict[tuple[int, int], str] = {}
    comments: list[str] = []
    for row in worksheet.iter_rows():
        for found in row:
            if found.comment is not None:
                comments.append(comment_text(found.comment.text))
            if found.value is None:
                continue
            text, value = shown_value(found.value, found.number_format, found.data_type)
            if text:
                place = (found.row, found.column)
                cells[place] = Cell(*place, text, *spans.get(place, (1, 1)), value=value)
                if found.font.b:
                    bold.add(place)
                if found.hyperlink is not None and found.hyperlink.target:
                    fragment = found.hyperlink.location
                    links[place] = found.hyperlink.target + (f"#{fragment}" if fragment else "")
    return _Sheet(
        worksheet.title,
        cells,
        frozenset(bold),
        tuple(_header_rows(worksheet)),
        links,
        [comment for comment in comments if comment],
    )


def _header_rows(worksheet: Any) -> Iterator[Region]:  # noqa: ANN401
    ranges = [table.ref for table in worksheet.tables.values() if table.headerRowCount != 0]
    for reference in (*ranges, worksheet.auto_filter.ref):
        if reference:
            left, top, right, _ = range_boundaries(reference)
            if top and left and right:
                yield Region(top, left, top, right)


def _tables(sheet: _Sheet) -> Iterator[tuple[Region, Rows]]:
    """Yield each table's place and rows; a blank row inside of a table does not end it."""
    places = (
        Region(row, column, row + cell.row_span - 1, column + cell.col_span - 1)
        for (row, column), cell in sheet.cells.items()
    )
    regions = find_regions(places)
    rows = _rows_by_region(sheet, regions)
    last: tuple[Region, Rows] | None = None
    for region in regions:
        current = (region, rows[region])
        if last and _continues(sheet, last, current):
            last = (last[0].joined(region), [*last[1], *rows[region]])
            continue
        if last:
            yield last
        last = current
    if last:
        yield last


def _rows_by_region(sheet: _Sheet, regions: Sequence[Region]) -> dict[Region, list[list[Cell]]]:
    """Return each region's rows of filled cells."""
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


def _continues(sheet: _Sheet, above: tuple[Region, Rows], below: tuple[Region, Rows]) -> bool:
    """Tell whether rows without a header go on below a blank row, in the same columns."""
    upper, lower = above[0], below[0]
    same_columns = (upper.left, upper.right) == (lower.left, lower.right)
    if not same_columns or upper.left == upper.right or lower.top != upper.bottom + 2:
        return False
    has_header = _top(sheet, upper, above[1]).headers > 0
    return has_header and _top(sheet, lower, below[1]) == Top(0, 0)


def _top(sheet: _Sheet, region: Region, rows: Rows) -> Top:
    found = find_header(
        rows[:_SAMPLE_ROWS], lambda row: all((cell.row, cell.column) in sheet.bold for cell in row)
    )
    for header in sheet.header_rows:
        if header.overlaps(region):
            above = sum(row[0].row < header.top for row in rows[:_SAMPLE_ROWS])
            titles = min(above, found.titles)
            if above - titles < _MAX_HEADERS:
                return Top(titles, above - titles + 1)
    is_list = region.left == region.right and not any(
        (row[0].row, row[0].column) in sheet.bold for row in rows[:1]
    )
    return Top(0, 0) if is_list else found


def _table_blocks(sheet: _Sheet, region: Region, rows: Rows) -> Iterator[Block]:
    if sum(map(len, rows)) == 1:
        (only,) = rows[0]
        href = sheet.links.get((only.row, only.column))
        links = (Link(0, len(only.text), href),) if href else ()
        yield Block("paragraph", only.text, links=links)
        return
    top = _top(sheet, region, rows)
    for row in rows[: top.titles]:
        yield Block("caption", row[0].text)
    body = rows[top.titles :]
    first, left = body[0][0].row, region.left
    cells = (
        cell._replace(
            row=cell.row - first, column=cell.column - left, is_header=number < top.headers
        )
        for number, row in enumerate(body)
        for cell in row
    )
    text, table = lay_out_table(cells, sheet=one_line(sheet.name), origin=(first, left))
    yield Block("table", text, table=table, links=_links(sheet, table, first, left))


def _links(sheet: _Sheet, table: Table, top: int, left: int) -> tuple[Link, ...]:
    columns = (table.cells[name] for name in ("row", "column", "start", "end"))
    return tuple(
        sorted(
            Link(start, end, href)
            for row, column, start, end in zip(*columns, strict=True)
            if start is not None and (href := sheet.links.get((top + row, left + column)))
        )
    )
