"""Title and header rows of tables whose format marks none."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from graphrag_tasks.parse.headers import Top, find_header
from graphrag_tasks.parse.tables import Cell


def rows(*texts: str) -> list[list[Cell]]:
    """Make rows from lines of cells: `>` joins a cell with the one before it."""
    made = []
    for number, line in enumerate(texts):
        row: list[Cell] = []
        for column, text in enumerate(line.split("|")):
            if text == ">":
                row[-1] = row[-1]._replace(col_span=row[-1].col_span + 1)
            elif text:
                row.append(Cell(number, column, text))
        made.append(row)
    return made


@pytest.mark.parametrize(
    ("lines", "titles", "headers"),
    [
        (["name|age", "Ann|31", "Bob|27"], 0, 1),
        (["Ann|31", "Bob|27", "Cid|44"], 0, 0),
        (["code|city", "a|Rome", "b|Oslo"], 0, 1),
        (["a|Rome", "b|Oslo", "a|Bern"], 0, 0),  # the first row's text comes again
        (["1|2|3", "a|b|c", "d|e|f"], 0, 1),
        (["country|2019|2020", "Peru|1.5|2.5", "Chad|3.5|4.5"], 0, 1),
        (["2019|120", "2020|135", "2021|150"], 0, 0),
        (["Sales 2020", "region|units", "North|5", "South|7"], 1, 1),
        (["Sales", "in thousands", "region|units", "North|5"], 2, 1),
        (["|2020|>", "region|Q1|Q2", "North|5|6", "South|7|8"], 0, 2),
        (["region|sales|>", "|Q1|Q2", "North|5|6"], 0, 2),
        (["a|b"], 0, 0),
        (["only one column", "second", "third"], 0, 1),
        (["kV|:|130", "Hz|:|50"], 0, 0),
        (["x|y|x", "a|b|c"], 0, 0),  # names differ from each other
    ],
)
def test_found(lines: Sequence[str], titles: int, headers: int) -> None:
    assert find_header(rows(*lines)) == Top(titles, headers)


def test_a_header_over_two_rows_takes_both() -> None:
    first, second, *rest = rows("region|sales|>", "|Q1|Q2", "North|5|6")
    first[0] = first[0]._replace(row_span=2)
    assert find_header([first, second, *rest]).headers == 2


def test_bold_type_decides_where_texts_do_not() -> None:
    table = rows("x|y|x", "a|b|c", "d|e|f")
    assert find_header(table, lambda row: row[0].row == 0).headers == 1
    names = rows("one|two", "a|b", "d|e")
    assert find_header(names, lambda row: row[0].row == 2).headers == 0


def test_no_rows_have_no_header() -> None:
    assert find_header([]) == Top(0, 0)
