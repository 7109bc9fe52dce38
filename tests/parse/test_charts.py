"""Charts of workbooks: their titles, and what they draw as a table."""

from __future__ import annotations

from io import BytesIO
from typing import Any
from zipfile import ZipFile

from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.chart.data_source import NumRef, StrRef

ROWS = [["Year", "Boats", "Ships"], [2019, 1200, 80], [2020, 1350, 95]]


def saved(book: Workbook) -> bytes:
    buffer = BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def book_with(chart: Any, *, at: str = "E1", rows: list[list[Any]] = ROWS) -> Workbook:
    book = Workbook()
    sheet = book.active
    for row in rows:
        sheet.append(row)
    chart.add_data(
        Reference(sheet, min_col=2, max_col=3, min_row=1, max_row=3), titles_from_data=True
    )
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
        (
            "table",
            "Season: 2019 | Boats: 1200 | Ships: 80\nSeason: 2020 | Boats: 1350 | Ships: 95",
        ),
    ]


def test_data_of_a_hidden_sheet_are_counted_where_the_chart_shows_them(parse_one: Any) -> None:
    chart = BarChart()
    book = book_with(chart)
    sheet = book.active
    sheet._charts.clear()
    sheet.sheet_state = "hidden"
    book.create_sheet("Shown").add_chart(chart, "A1")
    parsed = parse_one("a.xlsx", saved(book))
    assert parsed.kinds[0] == ("heading", "Shown")
    (cell,) = [cell for cell in parsed.cells if cell["text"] == "1350"]
    assert (cell["sheet"], cell["reference"], cell["header"]) == ("Shown", None, "Boats")


CACHED = (
    "<c:f>[1]Far!$B$2:$B$4</c:f><c:numCache><c:formatCode>0.0</c:formatCode>"
    '<c:ptCount val="3"/><c:pt idx="0"><c:v>3</c:v></c:pt><c:pt idx="2"><c:v>4</c:v></c:pt>'
    "</c:numCache>"
)


def test_what_a_chart_keeps_of_another_workbook(parse_one: Any) -> None:
    book = book_with(BarChart())
    series = book.active._charts[0].series
    del series[1]
    series[0].val.numRef = NumRef(f="FAR")
    series[0].tx.strRef = StrRef(f="Nowhere!A1")
    changed = BytesIO()
    with ZipFile(BytesIO(saved(book))) as old, ZipFile(changed, "w") as new:
        for name in old.namelist():
            part = old.read(name).decode()
            new.writestr(name, part.replace("<f>FAR</f>", CACHED.replace("c:", "")))
    parsed = parse_one("a.xlsx", changed.getvalue())
    assert parsed.kinds[-1] == ("table", "2019 | 3.0\n2020\n4.0")
    assert [cell["text"] for cell in parsed.cells][-1] == "4.0"
