"""Resolve: what texts, tables and vendors tie, and what they do not."""

from itertools import product
from typing import Any

import pytest

from tests.entities.test_resolve import decisions, entities, run

LETTERS = ["".join(letters) for letters in product("abcdefghij", repeat=3)]

ACME = ("Acme", "Acme Cloud Platform", "Acme Help Portal", "Acme Data Hub service")
BARE = ("Cloud Platform", "Help Portal", "Data Hub service")
ABOUT_ACME = ["We use Acme daily.", "The Acme Help Portal opens.", "Nothing here."]


def rules(result: Any) -> set[tuple[str, ...]]:
    rows = result.tables["merges"].to_pylist()
    return {tuple(row["rules"]) for row in rows if row["verdict"] == "same"}


def test_a_name_is_one_with_and_without_the_vendor_that_a_corpus_is_about() -> None:
    result = run(*ACME, *BARE, texts=ABOUT_ACME)
    assert entities(result) == {frozenset({bare.casefold(), f"acme {bare.casefold()}"}) for bare in BARE}
    assert rules(result) == {("vendor",)}
    assert len(entities(run(*ACME, *BARE, texts=ABOUT_ACME[1:2]))) == len(BARE)  # of one page


ROWS = (("DTEL", "Data Element"), ("ENQU", "Lock Object"), ("TABX", "Table Definition"))
NAMES_OF_ROWS = tuple(name for row in ROWS for name in row)


def of_rows(*tables: list[tuple[str, ...]], names: tuple[str, ...] = NAMES_OF_ROWS) -> set[Any]:
    return entities(run(*names, tables=tables))


def test_codes_stand_beside_their_names_in_rows() -> None:
    expected = {frozenset(map(str.casefold, row)) for row in ROWS}
    assert of_rows([("Object", "Description"), *ROWS]) == expected
    assert of_rows([("", ""), *((name, code) for code, name in ROWS)]) == expected
    assert rules(run(*NAMES_OF_ROWS, tables=[[("", ""), *ROWS]])) == {("table_row",)}


@pytest.mark.parametrize(
    "table",
    [
        [("Topic", "Title"), *ROWS],
        [("Object", "Successor"), *ROWS],
        [("Old object", "Description"), *ROWS],
        [("Object", "Description"), ROWS[0]],
        [("Object", "Use", "Description"), *((code, "yes", name) for code, name in ROWS)],
        [("Object", "Description"), *ROWS, ("free text", "Some Other Name"), ("more", "Next Name")],
        [("Object", "Description"), *ROWS, *((code, "Some Other Name") for code, _ in ROWS)],
    ],
    ids=["topics", "successors", "old ones", "one row", "not beside", "few codes", "twice"],
)
def test_other_rows_tie_nothing(table: list[tuple[str, ...]]) -> None:
    assert of_rows(table) == set()


def test_brackets_in_sentences_and_cells_tie_names() -> None:
    names = ("bgPF", "background processing framework")
    both = {frozenset(map(str.casefold, names))}
    text = "Use the background processing framework (bgPF) here."
    assert entities(run(*names, texts=[text])) == both
    assert entities(run(*names, tables=[[("A", "B"), (text, "x")]])) == both
    assert rules(run(*names, texts=[text])) == {("bracketed_short",)}
    longer = ("ID", "identity transformation")  # two letters are initials
    assert not entities(run(*longer, texts=["An identity transformation (ID) copies."]))


def test_a_short_form_of_many_things_takes_no_square_of_time() -> None:
    longs = [f"x{letters} y{letters} z{letters}" for letters in LETTERS]
    said = [f"The {long} (XyZ) is on." for long in longs]
    assert not entities(run("XyZ", *longs, texts=said))


def test_a_plus_makes_another_thing() -> None:
    long = "Change and Transport System"
    result = run("CTS", long, "CTS+", acronyms=(("CTS", long),), texts=[f"The {long} (CTS+)."])
    assert entities(result) == {frozenset({"cts", long.casefold()})}
    assert "cluster:plus" in {row[3] for row in decisions(result)}


RUTH, ASHWORTH = ("Ruth Calder", "PERSON", 3), ("Dr Helen Ashworth", "PERSON", 2)


@pytest.mark.parametrize(
    ("short", "full", "documents", "is_one"),
    [
        ("Ruth", [RUTH], ["d1", "d2"], True),
        ("Dr Ashworth", [ASHWORTH], ["d1"], True),
        ("Ruth", [RUTH], ["d2", "d3"], False),
        ("Ruth", [RUTH, ("Ruth Penn", "PERSON", 2)], ["d1"], False),
        ("RUTH", [RUTH], ["d1"], False),
        ("Mrs Ashworth", [ASHWORTH], ["d1"], False),
    ],
)
def test_a_first_name_is_the_one_person_of_that_name(
    short: str, full: list[tuple[str, str | None, int]], documents: list[str], *, is_one: bool
) -> None:
    related = ((full[0][0], "x", "d1"), *((short, "y", document) for document in documents))
    result = run((short, None, 9), *full, related=related)
    assert entities(result) == ({frozenset({short.casefold(), full[0][0].casefold()})} if is_one else set())
    assert ({row["name"] for row in result.tables["resolved"].to_pylist()} == {full[0][0]}) == is_one
