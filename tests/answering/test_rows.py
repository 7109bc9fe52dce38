"""Questions that filter or count the rows of tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from graphrag_tasks.answering import answer
from graphrag_tasks.answering.rows import RowsFound, UnknownNoun, find_rows
from graphrag_tasks.retrieval import Index
from graphrag_tasks.retrieval.context.views import Cell, View, ViewRow
from tests.retrieval.finder import Finder
from tests.retrieval.small_worlds import World

VESSELS = (
    ("Stella", "Gdansk", 1998.0, 120.0, "active"),
    ("Nordwind", "Gdansk", 2004.0, 80.0, "scrapped"),
    ("Albatros", "Turku", 1987.0, 150.0, "active"),
    ("Mewa", "Gdynia", 2011.0, 60.0, "active"),
)


def view(header: Sequence[str], rows: Sequence[Sequence[str | float]], *names: str, tables: int = 1) -> View:
    """Return a view whose rows are spread over its tables in turn."""
    made = [
        ViewRow("d1", place % tables, 10 * place, 10 * place + 9, dict(enumerate(map(cell, row))))
        for place, row in enumerate(rows)
    ]
    return View(tuple(header), made, [[f"{name}" for name in names]] * tables)


def cell(value: str | float) -> Cell:
    return Cell(value, None) if isinstance(value, str) else Cell(f"{value:g}", value)


FLEET = view(["Name", "Yard", "Year built", "Length (m)", "Status"], VESSELS, "Vessels")
REPORTS = view(
    ["Report", "Result", "Owner"],
    [("R1", "Failed", "Anna"), ("R2", "Passed", "Bo"), ("R3", "Failed", "Bo")],
    "Test reports",
)


def names(question: str, *views: View) -> list[str] | str | None:
    found = find_rows(question, views)
    if isinstance(found, UnknownNoun):
        return found.noun
    if found is None:
        return None
    return [found.view.rows[row].cells[0].text for row in found.rows]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which vessels were built in Gdansk?", ["Stella", "Nordwind"]),
        ("which vessels are active and longer than 100 m in length", ["Stella", "Albatros"]),
        ("Which vessels were built before 2000?", ["Stella", "Albatros"]),
        ("What vessels were built between 1990 and 2005?", ["Stella", "Nordwind"]),
        ("Which vessels have the greatest length?", ["Albatros"]),
        ("How many of the reports failed?", ["R1", "R3"]),
        ("how many reports by Bo passed", ["R2"]),
        ("How many vessels are there?", ["Stella", "Nordwind", "Albatros", "Mewa"]),
        ("How many lighthouses were built in Gdansk?", "lighthouses"),
        ("Which vessels were not built in Gdansk?", None),
        ("How many vessels were built in Hamburg?", None),
        ("How many saltwater reports failed?", None),
        ("Which vessels of the navy were built in Gdansk?", None),
        ("Which lighthouses were built in Gdansk?", None),
        ("How is a vessel built?", None),
        ("Who built the Stella?", None),
    ],
)
def test_rows_are_filtered_by_what_the_question_names(question: str, expected: list[str] | str | None) -> None:
    assert names(question, FLEET, REPORTS) == expected


def test_a_count_says_over_which_tables_and_rows_it_was_made() -> None:
    found = find_rows("How many of the reports failed?", [FLEET, REPORTS])
    assert isinstance(found, RowsFound)
    assert found.counts
    assert found.summary == "2 of 3 rows of 1 table (Test reports) where Result is Failed."


ROWS = ("Report: R1 | Result: Failed", "Report: R2 | Result: Passed")
TABLE = World(
    documents=(("d1", "Test reports"),),
    chunks=(("c1", "d1", "\n".join(ROWS)),),
    sentences=tuple((f"s{place}", "c1", row) for place, row in enumerate(ROWS)),
)


def cells() -> list[Mapping[str, Any]]:
    """Return the cells of the table, as the parser writes them."""
    made = []
    for row, line in enumerate(ROWS, 1):
        start = "\n".join(ROWS).index(line)
        for column, part in enumerate(line.split(" | ")):
            header, _, text = part.partition(": ")
            at = start + line.index(text)
            made.append(
                {"document_id": "d1", "ordinal": 0, "sheet": None, "reference": None, "row": row,
                 "column": column, "row_span": 1, "col_span": 1, "is_header": False,
                 "is_row_header": False, "header": header, "text": text, "value_type": "text",
                 "number": None, "iso": None, "char_start": at, "char_end": at + len(text),
                 "page": None}
            )  # fmt: skip
    return made


def test_each_row_of_an_answer_is_cited(open_world: Callable[..., Index], find: Callable[[str], Finder]) -> None:
    find("Failed")
    reply = answer(open_world(TABLE, cells=cells()), "How many of the reports failed?")
    assert reply.form == "rows"
    assert reply.verdict.state == "answered"
    assert [one.text for one in reply.sentences] == [ROWS[0]]
    assert reply.text.splitlines() == [
        "1 of 2 rows of 1 table (Test reports, d1) where Result is Failed.",
        f"- {ROWS[0]} [1]",
    ]


def test_a_noun_that_no_table_has_is_refused_by_name(
    open_world: Callable[..., Index], find: Callable[[str], Finder]
) -> None:
    find("Failed")
    reply = answer(open_world(TABLE, cells=cells()), "How many lighthouses have the result Failed?")
    assert reply.verdict.state == "not in these documents"
    assert "“lighthouses”" in reply.summary
    assert reply.sentences == ()


def test_a_filter_that_no_row_fulfils_is_left_to_quotations() -> None:
    assert names("Which active vessels were built in Turku after 2000?", FLEET) is None
