"""Charts of workbooks: their titles, and what they draw as a table."""

from __future__ import annotations

from typing import Any

from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference

from tests.parse.conftest import saved

ROWS = [["Year", "Boats", "Ships"], [2019, 1200, 80], [2020, 1350, 95]]


def book_with(chart: Any, *, at: str = "E1", rows: list[list[Any]] = ROWS) -> Workbook:
    book = Workbook()
    sheet = book.active
    for row in rows:
        sheet.append(row)
    chart.add_data(Reference(sheet, min_col=2, max_col=3, min_row=1, max_row=3), titles_from_data=True)
    chart.set_categories(Reference(sheet, min_col=1, min_row=2, max_row=3))
    sheet.add_chart(chart, at)
    return book


def test_title_axes_and_data(parse_one: Any) -> None:
    chart = BarChart()
    chart.title, chart.x_axis.title, chart.y_axis.title = "Traffic", "Season", "Passages"
    parsed = parse_one("a.xlsx", saved(book_with(chart)))
    assert parsed.kinds[2:] == [
        ("caption", "Traffic"),
        ("caption", "Bar chart: Passages"),
        ("table", "Season: 2019 | Boats: 1200 | Ships: 80\nSeason: 2020 | Boats: 1350 | Ships: 95"),
    ]
