"""Charts of a workbook: their titles as captions, and their data as a table.

Names and values are read from the cells that the chart refers to, so that they look as they do there; if those are not
in the workbook, from the copies stored in the chart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from openpyxl.styles.numbers import is_date_format
from openpyxl.utils.cell import range_to_tuple
from openpyxl.utils.datetime import from_excel
from openpyxl.worksheet.worksheet import Worksheet

from graphrag_tasks.parse.blocks import Block
from graphrag_tasks.parse.tables import Cell, lay_out_table
from graphrag_tasks.parse.text import one_line
from graphrag_tasks.parse.values import Value, shown_value

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
