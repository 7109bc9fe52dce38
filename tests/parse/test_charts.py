"""Charts of workbooks: their titles, and what they draw as a table."""

from __future__ import annotations

from datetime import date
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from openpyxl import Workbook
from openpyxl.chart import BarChart, LineChart, PieChart, Reference, ScatterChart, Series
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


def test_cells_that_are_on_a_sheet_are_not_counted_again(parse_one: Any) -> None:
    parsed = parse_one("a.xlsx", saved(book_with(BarChart())))
    assert [block["kind"] for block in parsed.blocks].count("table") == 2
    assert [cell["text"] for cell in parsed.cells].count("1350") == 1


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


def test_a_chart_comes_behind_the_tables_that_begin_above_it(parse_one: Any) -> None:
    book = book_with(LineChart(), at="A6")
    for row in range(20, 22):
        book.active.cell(row, 1, f"x{row}")
        book.active.cell(row, 2, row)
    kinds = [kind for kind, _ in parse_one("a.xlsx", saved(book)).kinds]
    assert kinds == ["heading", "table", "caption", "table", "table"]


def test_chart_sheets(parse_one: Any) -> None:
    book = book_with(PieChart())
    chart = book.active._charts.pop()
    book.create_chartsheet("Picture").add_chart(chart)
    parsed = parse_one("a.xlsx", saved(book))
    assert parsed.kinds[2:4] == [("heading", "Picture"), ("caption", "Pie chart")]


def test_points_of_a_scatter_chart_and_a_chart_of_two_kinds(parse_one: Any) -> None:
    book = book_with(BarChart())
    sheet = book.active
    scatter = ScatterChart()
    places = Reference(sheet, min_col=2, min_row=2, max_row=3)
    heights = Reference(sheet, min_col=3, min_row=1, max_row=3)
    scatter.series.append(Series(heights, places, title_from_data=True))
    sheet.add_chart(scatter, "E30")
    line = LineChart()
    line.add_data(Reference(sheet, min_col=3, min_row=1, max_row=3), titles_from_data=True)
    sheet._charts[0] += line
    kinds = parse_one("a.xlsx", saved(book)).kinds
    assert kinds[2][1] == "Bar and line chart"
    assert kinds[3][1].splitlines()[0] == "2019 | Boats: 1200 | Ships: 80 | Ships: 80"
    assert kinds[5][1] == "1200 | Ships: 80\n1350 | Ships: 95"


def test_values_look_as_on_the_sheet(parse_one: Any) -> None:
    rows = [["Day", "Boats", "Ships"], [date(2020, 1, 2), 0.5, 1], [date(2020, 1, 3), 0.25, 2]]
    book = book_with(LineChart(), rows=rows)
    book.active["B2"].number_format = "0%"
    text = parse_one("a.xlsx", saved(book)).kinds[-1][1]
    assert text.splitlines()[0] == "2020-01-02 | Boats: 50% | Ships: 1"


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


def test_whole_columns_are_read_as_far_as_they_are_filled(parse_one: Any) -> None:
    book = book_with(BarChart())
    book.active._charts[0].series[0].val.numRef.f = "Sheet!$B$2:$B$1048576"
    assert len(parse_one("a.xlsx", saved(book)).kinds[-1][1].splitlines()) == 2
