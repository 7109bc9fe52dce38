"""Read workbooks: the tables of each sheet, with cell values, charts, and formulas without a value.

openpyxl is used directly: Docling turns values into text, takes the first row of each group of cells for its header,
and drops a table's place on the sheet. Visible sheets are read, including hidden rows and columns. Formulas give their
stored value, links without one their label. Text boxes and comments follow the tables of their sheet.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import unescape
from io import BytesIO
from typing import Any, NamedTuple
from zipfile import ZipFile

import openpyxl
from openpyxl.packaging.relationship import get_dependents, get_rels_path
from openpyxl.reader.workbook import WorkbookParser
from openpyxl.styles.numbers import is_date_format
from openpyxl.utils.cell import coordinate_to_tuple, range_boundaries, range_to_tuple
from openpyxl.utils.datetime import from_excel
from openpyxl.worksheet.worksheet import Worksheet

from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import Block
from graphrag_tasks.parse.package_texts import PartTexts, parse_part, read_part
from graphrag_tasks.parse.tables import (
    SAMPLE_ROWS,
    Cell,
    Region,
    Rows,
    Top,
    around,
    find_header,
    find_regions,
    lay_out_table,
)
from graphrag_tasks.parse.text import clean_text, in_unicode, one_line
from graphrag_tasks.parse.values import Value, shown_value, value_of

_MAX_POINTS = 1000  # of a series: more is a drawing, not something to read off
_KIND = re.compile(r"(?:3D)?Chart$")


OfBook = Any  # An untyped object of openpyxl.

Point = tuple[str, Value | None]  # Text of a name or number in a chart, and its value if the text does not show it.

_NO_POINT: Point = ("", None)


class Chart(NamedTuple):
    """A chart, and the sheet row, from 1, where it begins."""

    row: int
    blocks: list[Block]


def read_charts(sheet: OfBook) -> list[Chart]:
    """Return the charts of a sheet, from top to bottom.

    A chart becomes captions (its title; its kind with the title of its value axis) and a table with one column for the
    categories and one for each series. The table is marked as repeated if all of its cells lie on visible sheets of the
    workbook.
    """
    return sorted((_chart(chart, sheet) for chart in sheet._charts), key=lambda chart: chart.row)


def _chart(chart: OfBook, sheet: OfBook) -> Chart:
    corner = getattr(chart.anchor, "_from", None)
    plots, book = chart._charts, sheet.parent
    names = dict.fromkeys(_KIND.sub("", plot.tagname) for plot in plots)
    kind = f"{' and '.join(names)} chart".capitalize()
    values = _text_of(getattr(getattr(plots[0], "y_axis", None), "title", None))
    captions = (_text_of(chart.title), f"{kind}: {values}" if values else kind)
    blocks = [Block("caption", caption) for caption in captions if caption]
    text, table = lay_out_table(_cells(plots, book), sheet=one_line(sheet.title))
    if text:
        drawn = (series.val or series.yVal for plot in plots for series in plot.series)
        table = replace(table, repeats=all(_is_read(source, book) for source in drawn))
        blocks.append(Block("table", text, table=table))
    return Chart(corner.row + 1 if corner else 1, blocks)


def _cells(plots: Sequence[OfBook], book: OfBook) -> Iterator[Cell]:
    categories: list[Point] = []
    corner = ""
    columns: list[tuple[str, list[Point]]] = []
    for plot in plots:
        for series in plot.series:
            if not categories:
                categories = _points(series.cat or series.xVal, book)
                corner = _text_of(getattr(getattr(plot, "x_axis", None), "title", None))
            name, _ = next(iter(_points(series.tx, book)), _NO_POINT)
            columns.append((name, _points(series.val or series.yVal, book)))
    for column, (name, points) in enumerate([(corner, categories), *columns]):
        yield Cell(0, column, name, is_header=True)
        for row, (text, value) in enumerate(points, 1):
            yield Cell(row, column, text, value=value)


def _points(source: OfBook, book: OfBook) -> list[Point]:
    if source is None:
        return []
    found = _in_book(source, book)
    if found is None:
        return _kept(source)
    worksheet, (left, top, right, bottom) = found
    rows = worksheet.iter_rows(
        min_row=top,
        max_row=min(bottom or worksheet.max_row, worksheet.max_row, top + _MAX_POINTS - 1),
        min_col=left,
        max_col=min(right or worksheet.max_column, worksheet.max_column, left + _MAX_POINTS - 1),
    )
    lines = list(rows)
    return [_joined(line) for line in (zip(*lines, strict=True) if len(lines) == 1 else lines)]


def _joined(cells: Sequence[OfBook]) -> Point:
    """Return a point; categories of two levels lie in two cells."""
    shown = [shown_value(cell.value, cell.number_format, cell.data_type) for cell in cells if cell.value is not None]
    return shown[0] if len(shown) == 1 else (" ".join(text for text, _ in shown), None)


def _in_book(source: OfBook, book: OfBook) -> tuple[OfBook, tuple[int, int, int | None, int | None]] | None:
    """Return the worksheet and cell range that a chart refers to, or None if absent."""
    references = (getattr(source, name, None) for name in ("numRef", "strRef", "multiLvlStrRef"))
    formula = next((reference.f for reference in references if reference is not None), None)
    try:
        name, (left, top, right, bottom) = range_to_tuple(formula or "")
    except ValueError:  # a name, a function, several ranges
        return None
    name = name.replace("''", "'")
    worksheet = book[name] if name in book.sheetnames else None
    if not isinstance(worksheet, Worksheet):
        return None
    return worksheet, (left or 1, top or 1, right, bottom)


def _is_read(source: OfBook, book: OfBook) -> bool:
    found = _in_book(source, book)
    return found is not None and found[0].sheet_state == Worksheet.SHEETSTATE_VISIBLE


def _kept(source: OfBook) -> list[Point]:
    if getattr(source, "v", None):
        return [(one_line(source.v), None)]
    caches = (
        getattr(source, "numLit", None),
        getattr(source, "strLit", None),
        getattr(getattr(source, "numRef", None), "numCache", None),
        getattr(getattr(source, "strRef", None), "strCache", None),
    )
    cache = next((cach for cach in caches if cach is not None), None)
    points = [point for point in cache.pt if 0 <= point.idx < _MAX_POINTS] if cache else []
    texts = [_NO_POINT] * (max((point.idx for point in points), default=-1) + 1)
    number_format = getattr(cache, "formatCode", None) or "General"
    for point in points:
        value = point.v
        if isinstance(value, float) and is_date_format(number_format):
            value = from_excel(value)
        texts[point.idx] = shown_value(value, number_format, "n")
    return texts


def _text_of(title: OfBook) -> str:
    written = getattr(title, "tx", None)
    if written is None:
        return ""
    if written.strRef is not None and written.strRef.strCache is not None:
        return one_line(" ".join(point.v for point in written.strRef.strCache.pt))
    if written.rich is None:
        return ""
    runs = (run for paragraph in written.rich.p for run in paragraph.r or ())
    return one_line("".join(run.t or "" for run in runs))


# Find workbook formulas without a stored value, as programs write that do not calculate.

Place = tuple[int, int]  # Row and column of a sheet, from 1.

_CELL = re.compile(
    rb"<(?:\w+:)?c (?P<cell>[^>]*)>\s*"
    rb"<(?:\w+:)?f(?: [^>]*?)?(?:/>|>(?P<formula>[^<]*)</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>(?P<value>[^<]*)</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_ATTRIBUTE = re.compile(rb'(\w+)="([^"]*)"')
_TEXT = r'\s*"((?:[^"]|"")*)"\s*'
_HYPERLINK = re.compile(rf"HYPERLINK\({_TEXT}(?:[,;]{_TEXT})?\)", re.IGNORECASE)


def formulas_without_value(data: bytes) -> dict[str, dict[Place, str | None]]:
    """Return the formulas of a workbook that have no value, by sheet and cell; labels of links."""
    found: dict[str, dict[Place, str | None]] = {}
    with ZipFile(BytesIO(data)) as package:
        names = set(package.namelist())
        book = WorkbookParser(package, "xl/workbook.xml", keep_links=False)
        book.parse()
        for sheet, relation in book.find_sheets():
            if relation.target in names and "worksheet" in relation.Type:
                found[sheet.name] = _of_sheet(package.read(relation.target))
    return found


def _of_sheet(xml: bytes) -> dict[Place, str | None]:
    found: dict[Place, str | None] = {}
    for match in _CELL.finditer(xml):
        cell = dict(_ATTRIBUTE.findall(match["cell"]))
        # A value of type str may be an empty one, which the program that saved it has computed.
        if b"r" in cell and not match["value"] and cell.get(b"t") != b"str":
            formula = unescape((match["formula"] or b"").decode("utf-8", "replace"))
            link = _HYPERLINK.fullmatch(formula.strip())
            texts = [(text or "").replace('""', '"') for text in link.groups()] if link else []
            label = texts[1] or texts[0] if texts else None
            found[coordinate_to_tuple(cell[b"r"].decode("ascii"))] = label
    return found


_MAX_HEADERS = 4  # Limit of header rows, as in `tables`.
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
