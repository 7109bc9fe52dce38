"""Questions that filter, count or sum the rows of tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from graphrag_tasks.answering import answer
from graphrag_tasks.answering.rows import RowsFound, find_rows
from graphrag_tasks.retrieval import Index, open_index
from tests.corpora import made
from tests.retrieval.finder import Finder

TABLES: Mapping[str, str] = {
    "vessels.csv": (
        "Vessel,Yard,Built,Length,Scrapped,Refitted,Cabins,Value EUR\n"
        "Stella,Gdansk,1998,120 m,no,03.04.2021,40,\"98,000\"\n"
        "Nordwind,Gdansk,2004,\"8,000 cm\",yes,15.06.2022,22,\"1,250\"\n"
        "Albatros,Turku,1987,150 m,no,01.02.2024,61,n/a\n"
        "Mewa,,2011,60 m,no,31.12.2019,9,\"7,400\"\n"
        "Total,,,,,,,\"106,650\"\n"
    ),
    "depot.md": (
        "# Depot of Vik\n\n## Parts\n\n| Part | Supplier | Stock | Min stock | Weight |\n|---|---|---|---|---|\n"
        "| Bolt 8 | Norbolt | 1,200 | 500 | 12 g |\n| Bolt 10 | Norbolt | 90 | 100 | 25 g |\n"
        "| Hinge | Hengsel | 0 | 20 | 0.4 kg |\n| Plate | | 45 | 40 | 3 kg |\n\n"
        "## Reports\n\n| Report | Result | Owner |\n|---|---|---|\n"
        "| R1 | Failed | Anna |\n| R2 | Passed | Bo |\n| R3 | Failed | Bo |\n"
    ),
    "teams.csv": "Team,Score,Score,Joined\nLions,3,1,2024-02-30\nOwls,0,2,2023-01-01\nFoxes,5,5,2022-05-05\n",
    "empty.csv": "Bill,Due\n",
    "crew-2023.csv": "Sailor,Berth,Speaks\nAda,Kept,\"Polish, Danish\"\nOle,Replaced,Danish\n",
    "crew-2024.csv": "Sailor,Berth,Speaks\nAda,Kept,\"Polish, Danish\"\nOle,Kept,Danish\nMia,Replaced,Finnish\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return open_index(made(tmp_path_factory.mktemp("rows"), TABLES).store)


def said(index: Index, question: str) -> str | None:
    """Return the first cells of the rows found and the figure, or the refused noun."""
    found = find_rows(question, index.views())
    if isinstance(found, RowsFound):
        keys = [found.view.columns[0].texts[row] for row in found.rows]
        return (
            ", ".join(keys)
            if found.summary[0].isdigit() and "different" not in found.summary
            else found.summary.split(" in ")[0]
        )
    return f"no {found}" if found else None


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many vessels are there?", "Stella, Nordwind, Albatros, Mewa"),
        ("Which vessels were built before 2000?", "Stella, Albatros"),
        ("What vessels were built between 1990 and 2005?", "Stella, Nordwind"),
        ("Which vessels were refitted after 2021?", "Nordwind, Albatros"),
        ("Which vessels were refitted before 1 January 2021?", "Mewa"),
        ("Which vessels are longer than 70 m?", "Stella, Nordwind, Albatros"),
        ("Which vessels are worth more than 5,000 EUR?", "Stella, Mewa"),
        ("Which vessel has the highest value?", "Stella"),
        ("Which vessel from the yard Gdansk is the oldest?", "Stella"),
        ("Which is shorter, Stella or Mewa?", "Mewa"),
        ("How many vessels are scrapped?", "Nordwind"),
        ("Which vessels are not scrapped?", "Stella, Albatros, Mewa"),
        ("Which vessels have no yard?", "Mewa"),
        ("Which vessels have no value?", "Albatros"),
        ("How many yards are there?", "2 different values of Yard"),
        ("What is the total value of all vessels?", "sum of Value EUR: 106,650"),
        ("Which parts are below their minimum stock?", "Bolt 10, Hinge"),
        ("Which parts are out of stock?", "Hinge"),
        ("Which part is the heaviest?", "Plate"),
        ("How many bolts are in stock altogether?", "sum of Stock: 1290"),
        ("How many parts does Norbolt supply?", "Bolt 8, Bolt 10"),
        ("How many of the reports failed?", "R1, R3"),
        ("Which reports by Bo did not pass?", "R3"),
        ("Which vessels have between 20 and 50 cabins?", "Stella, Nordwind"),
        ("Which cabin is the longest?", None),
        ("Which yards opened in June 2022?", None),
        ("Which vessels were last refitted before 2022?", "Stella, Mewa"),
        ("List all sailors.", "Ada, Ole, Mia"),
        ("Which sailors speak Danish?", "Ada, Ole"),
        ("Which sailors were replaced?", "Mia"),
        ("Which sailor replaced Mia?", None),
        ("How many lighthouses are scrapped?", "no lighthouses"),
        ("How many vessels were built in Hamburg?", None),
        ("Which vessels of the navy were built before 2000?", None),
        ("Which red vessels are scrapped?", None),
        ("How many vessels were refitted?", None),
        ("Which team has the highest score?", None),
        ("Which team joined after 30.02.2023?", None),
        ("How many vessels are not from Gdansk and not scrapped and not long?", None),
        ("Who built the Stella?", None),
        ("Welche Schiffe sind lang?", None),
        ("Vessels?", None),
        ("Which vessels " + "are longer " * 150 + "?", None),
        ("How many “vessels” are 'scrapped'?", "Nordwind"),
    ],
)  # fmt: skip
def test_every_word_of_a_question_is_used_or_no_row_answers(index: Index, question: str, expected: str | None) -> None:
    assert said(index, question) == expected


def test_an_answer_cites_each_row_and_says_what_is_left_out(index: Index, find: Callable[[str], Finder]) -> None:
    find("Failed")
    reply = answer(index, "How many vessels are scrapped?")
    assert (reply.form, reply.verdict.state) == ("rows", "answered")
    assert reply.summary == "1 of 4 rows of 1 table (vessels) where Scrapped is yes. 1 row of totals left out."
    assert ["Nordwind" in one.text for one in reply.sentences] == [True]
    assert reply.sentences[0].citations


def test_rows_beside_the_one_that_answers_are_not_quoted(index: Index, find: Callable[[str], Finder]) -> None:
    find("Report")
    reply = answer(index, "Who is the owner of R2?")
    assert [one.text for one in reply.sentences] == ["Report: R2 | Result: Passed | Owner: Bo"]


def test_filters_choose_the_tables(index: Index) -> None:
    reply = answer(index, "How many sailors are there?", filters={"path": "crew-2023.csv"})
    assert reply.summary == "2 of 2 rows of 1 table (crew-2023)."
    reply = answer(index, "How many sailors are there?", filters={"path": "fleet/*"})
    assert (str(reply.verdict.state), reply.notes) == ("not in these documents", ("No chunk fits the filters.",))


def test_a_noun_that_no_table_has_is_refused_by_name(index: Index, find: Callable[[str], Finder]) -> None:
    find("Failed")
    reply = answer(index, "How many lighthouses are scrapped?")
    assert reply.verdict.state == "not in these documents"
    assert "“lighthouses”" in reply.summary
    assert reply.sentences == ()
