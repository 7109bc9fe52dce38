"""XLSX: tables of a sheet, their headers, and values as people see them."""

from __future__ import annotations

from datetime import date, datetime, time
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from openpyxl import Workbook

from tests.parse.conftest import saved


def filled(rows: list[list[Any]], at: tuple[int, int] = (1, 1), book: Any = None) -> Any:
    """Return a workbook with these rows on its sheet, from a place on."""
    book = book or Workbook()
    for row, values in enumerate(rows, at[0]):
        for column, value in enumerate(values, at[1]):
            book.active.cell(row, column, value)
    return book


def cell_at(parsed: Any, reference: str) -> dict[str, Any]:
    (cell,) = [cell for cell in parsed.cells if cell["reference"] == reference]
    return dict(cell)


def test_titles_stand_above_the_header(parse_one: Any) -> None:
    book = filled([["Sales 2020"], ["in thousands"], ["region", "units"], ["north", 5]])
    parsed = parse_one("a.xlsx", saved(book))
    assert parsed.kinds[1:] == [
        ("caption", "Sales 2020"),
        ("caption", "in thousands"),
        ("table", "region: north | units: 5"),
    ]
    assert cell_at(parsed, "A4")["row"] == 1


def test_several_tables_of_a_sheet(parse_one: Any) -> None:
    book = filled([["id", "n"], ["a", 1]])
    filled([["key", "m"], ["b", 2]], at=(1, 4), book=book)
    filled([["note"]], at=(6, 1), book=book)
    assert parse_one("a.xlsx", saved(book)).kinds[1:] == [
        ("table", "id: a | n: 1"),
        ("table", "key: b | m: 2"),
        ("paragraph", "note"),
    ]


def test_rows_below_a_blank_one_keep_their_header(parse_one: Any) -> None:
    book = filled([["id", "n"], ["a", 1], [], ["b", 2]])
    parsed = parse_one("a.xlsx", saved(book))
    assert parsed.kinds[1:] == [("table", "id: a | n: 1\nid: b | n: 2")]
    assert cell_at(parsed, "A4")["row"] == 3


def test_merged_headers_of_two_levels_and_merged_rows(parse_one: Any) -> None:
    book = filled([["region", "2020", None, "2021"], [None, "Q1", "Q2", "Q1"], ["north", 1, 2, 3], [None, 4, 5, 6]])
    for merged in ("A1:A2", "B1:C1", "A3:A4"):
        book.active.merge_cells(merged)
    parsed = parse_one("a.xlsx", saved(book))
    assert parsed.blocks[1]["text"] == (
        "region: north | 2020 Q1: 1 | 2020 Q2: 2 | 2021 Q1: 3\nregion: north | 2020 Q1: 4 | 2020 Q2: 5 | 2021 Q1: 6"
    )
    assert cell_at(parsed, "A3")["row_span"] == 2
    assert cell_at(parsed, "B1")["col_span"] == 2


def test_values_are_shown_as_people_see_them(parse_one: Any) -> None:
    values = {
        "whole": (3, "General", "3", "integer", 3.0, None),
        "amount": (1234.5, "#,##0.00", "1,234.50", "number", 1234.5, None),
        "share": (0.256, "0.0%", "25.6%", "percent", 0.256, None),
        "day": (date(2024, 2, 29), "d.m.yyyy", "2024-02-29", "date", None, "2024-02-29"),
        "moment": (
            datetime(2024, 2, 29, 13, 5),
            "yyyy-mm-dd hh:mm",
            "2024-02-29 13:05:00",
            "datetime",
            None,
            "2024-02-29T13:05:00",
        ),
        "hour": (time(9, 30), "hh:mm", "09:30:00", "time", None, "09:30:00"),
        "flag": (True, "General", "TRUE", "boolean", 1.0, None),
        "code": ("007", "@", "007", "text", None, None),
        "wrong": ("#DIV/0!", "General", "#DIV/0!", "error", None, None),
    }
    book = filled([["what", "value"]])
    for row, (name, (value, number_format, *_)) in enumerate(values.items(), 2):
        book.active.cell(row, 1, name)
        book.active.cell(row, 2, value).number_format = number_format
    parsed = parse_one("a.xlsx", saved(book))
    for row, (_, _, *expected) in enumerate(values.values(), 2):
        cell = cell_at(parsed, f"B{row}")
        assert [cell[name] for name in ("text", "value_type", "number", "iso")] == expected


@pytest.mark.parametrize(
    ("hours", "number_format", "text"),
    [
        (27.5, "[h]:mm", "27:30"),
        (-27.5, "[h]:mm", "-27:30"),
        (27.5, "[h]:mm:ss;@", "27:30:00"),
        (0.1, "[hh]:mm", "00:06"),
        (27.5, "[m]", "1650"),
        (1.51, "[mm]:ss", "90:36"),
        (27.5, '[Magenta][h]" h "mm\\ "min"', "27 h 30 min"),
    ],
)
def test_durations(parse_one: Any, hours: float, number_format: str, text: str) -> None:
    book = filled([["what", "time"], ["shift", hours / 24]])
    book.active["B2"].number_format = number_format
    cell = cell_at(parse_one("a.xlsx", saved(book)), "B2")
    assert (cell["text"], cell["value_type"]) == (text, "number")
    assert cell["number"] == pytest.approx(hours / 24)


def test_hidden_sheets_are_left_out_and_hidden_rows_are_not(parse_one: Any) -> None:
    book = filled([["id", "n"], ["a", 1], ["b", 2]])
    book.active.row_dimensions[2].hidden = True
    book.create_sheet("Secret").append(["x", "y"])
    book["Secret"].sheet_state = "hidden"
    parsed = parse_one("a.xlsx", saved(book))
    assert parsed.kinds == [("heading", "Sheet"), ("table", "id: a | n: 1\nid: b | n: 2")]


@pytest.mark.parametrize("part", ["xl/worksheets/sheet1.xml", "xl/workbook.xml", "xl/styles.xml"])
def test_a_damaged_part_is_named(parse_one: Any, part: str) -> None:
    made = BytesIO()
    with ZipFile(BytesIO(saved(filled([["x", "y"]])))) as old, ZipFile(made, "w") as new:
        for name in old.namelist():
            new.writestr(name, b"<broken" if name == part else old.read(name))
    assert parse_one("a.xlsx", made.getvalue()).document["error_code"] == "broken"
