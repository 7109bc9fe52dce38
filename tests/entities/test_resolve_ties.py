"""Resolve: what texts, tables and vendors tie, and what they do not."""

from itertools import pairwise, product
from typing import Any

import pytest

from graphrag_tasks.entities.resolve.written import readings
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
    assert entities(result) == {
        frozenset({bare.casefold(), f"acme {bare.casefold()}"}) for bare in BARE
    }
    assert rules(result) == {("vendor",)}
    assert len(entities(run(*ACME, *BARE, texts=ABOUT_ACME[1:2]))) == len(BARE)  # of one page


@pytest.mark.parametrize(
    ("names", "texts"),
    [
        ((*ACME[:3], *BARE[:2]), ABOUT_ACME),
        ((*ACME, *BARE), [*ABOUT_ACME, "Nor here.", "Nor there."]),
        ((*ACME, *BARE), ["An acme of art.", "The acme is high.", "Acme is here."]),
        ((*ACME[1:], *BARE), ABOUT_ACME),
        ((("Acme", "GPE", 9), *ACME[1:], *BARE), ABOUT_ACME),
        ((*map(str.upper, ACME), *map(str.upper, BARE)), list(map(str.upper, ABOUT_ACME))),
        ((*ACME, *map(str.lower, BARE)), ABOUT_ACME),
        ((*ACME, *BARE, *(f"Acme Thing {letter}{letter}" for letter in "abcdefghij" * 6)),
         ABOUT_ACME[1:2] + ["Nothing."] * 3),
    ],
    ids=["two names", "few documents", "a common word", "no name itself", "a place",
         "capitals only", "common nouns", "seldom bare"],
)  # fmt: skip
def test_other_first_words_are_no_vendor(names: tuple[Any, ...], texts: list[str]) -> None:
    assert entities(run(*dict.fromkeys(names), texts=texts)) == set()


def test_one_word_behind_a_vendor_is_another_name_and_so_is_what_two_vendors_have() -> None:
    others = ("Bolt", *(one.replace("Acme", "Bolt") for one in ACME[1:]))
    texts = ["Acme and Bolt compete.", "Buy Acme or Bolt now."]
    both = run(*ACME, *others, *BARE, "Acme Portal", "Portal", texts=texts)
    assert entities(both) == set()


def test_initials_are_those_behind_the_vendor() -> None:
    names = ("Acme Key Store Service", "KSS")
    related = ((names[0], names[1], "d1"),)
    assert not entities(run(*names, related=related))
    result = run(*ACME, *BARE, *names, texts=ABOUT_ACME, related=related)
    assert frozenset(map(str.casefold, names)) in entities(result)
    assert ("initials",) in rules(result)


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


def test_a_code_with_two_names_in_two_tables_is_neither() -> None:
    other = [("", ""), ("DTEL", "Data Entry List"), ("MSAX", "Message Area")]
    names = (*NAMES_OF_ROWS, "Data Entry List")
    assert len(of_rows([("", ""), *ROWS], other, names=names)) == len(ROWS) - 1


def test_a_word_of_the_language_and_names_in_capitals_are_no_codes_with_names() -> None:
    words = (("TYPE", "Type Group"), *ROWS)
    assert len(of_rows([("", ""), *words], names=("TYPE", "Type Group", *NAMES_OF_ROWS))) == 3
    shouted = [("", ""), *((code, name.upper()) for code, name in ROWS)]
    assert of_rows(shouted) == set()


def test_a_guard_keeps_rows_apart() -> None:
    rows = (("MD04X", "Stock List 2"), ("MD05X", "Stock Overview 2"))
    names = tuple(name for row in rows for name in row)
    result = run(*names, tables=[[("", ""), *rows]])
    assert {row[3] for row in decisions(result)} == {"numbers"}


def test_brackets_in_sentences_and_cells_tie_names() -> None:
    names = ("bgPF", "background processing framework")
    both = {frozenset(map(str.casefold, names))}
    text = "Use the background processing framework (bgPF) here."
    assert entities(run(*names, texts=[text])) == both
    assert entities(run(*names, tables=[[("A", "B"), (text, "x")]])) == both
    assert rules(run(*names, texts=[text])) == {("bracketed_short",)}


def test_who_did_it_is_no_name_of_a_code() -> None:
    text = "Add START_SLOT (Jane Doe)"
    assert entities(run("START_SLOT", "Jane Doe", texts=[text]))
    assert not entities(run("START_SLOT", ("Jane Doe", "PERSON", 1), texts=[text]))


def test_a_short_form_of_two_things_in_brackets_is_left_open() -> None:
    names = ("MlS", "message layer security", "message-level signing")
    result = run(*names, texts=[f"The {long} (MlS) is on." for long in names[1:]])
    assert entities(result) == set()
    assert {row[2] for row in decisions(result)} == {"unsure"}


def test_a_chain_of_many_names_and_a_short_form_of_many_things_take_no_square_of_time() -> None:
    chain = [f"Part {letters}" for letters in LETTERS]
    renamed = [f"{one}, formerly {other}, is here." for one, other in pairwise(chain)]
    assert [len(group) for group in entities(run(*chain, texts=renamed))] == [len(chain)]
    longs = [f"x{letters} y{letters} z{letters}" for letters in LETTERS]
    said = [f"The {long} (XyZ) is on." for long in longs]
    assert not entities(run("XyZ", *longs, texts=said))


def test_a_plus_makes_another_thing() -> None:
    long = "Change and Transport System"
    result = run("CTS", long, "CTS+", acronyms=(("CTS", long),), texts=[f"The {long} (CTS+)."])
    assert entities(result) == {frozenset({"cts", long.casefold()})}
    assert "cluster:plus" in {row[3] for row in decisions(result)}


def test_an_acronym_of_some_of_the_words_gives_way_to_all_of_them() -> None:
    part, whole = "Transport System", "git-enabled Change and Transport System"
    result = run("gCTS", part, whole, acronyms=(("gCTS", part),), texts=[f"The {whole} (gCTS)."])
    assert entities(result) == {frozenset({"gcts", whole.casefold()})}


RENAMED = [
    ("Jami (formerly known as Ring) calls.", "Jami", "Ring"),
    ("Istanbul, formerly Constantinople, is large.", "Istanbul", "Constantinople"),
    ("It began as Open SQL, now called ABAP SQL.", "Open SQL", "ABAP SQL"),
    ("Twitter is now called X Corp.", "Twitter", "X Corp"),
    ("For this reason, Open SQL was renamed to ABAP SQL (see there).", "Open SQL", "ABAP SQL"),
    ("Aptosid was previously known as Sidux, and so on.", "Aptosid", "Sidux"),
    ("The UI and OpenAPI specification (formerly known as Swagger Specification) differ.",
     "OpenAPI specification", "Swagger Specification"),
]  # fmt: skip


def test_a_name_of_before_is_a_name() -> None:
    names = dict.fromkeys(name for _, *pair in RENAMED for name in pair)
    result = run(*names, texts=[text for text, *_ in RENAMED])
    assert entities(result) == {frozenset(map(str.casefold, pair)) for _, *pair in RENAMED}
    assert rules(result) == {("renamed",)}


NOT_RENAMED = [
    ("This filter was previously called Guillotine.", "filter", "Guillotine"),
    ("Ford, formerly part of Jaguar, grows.", "Ford", "Jaguar"),
    ("The method is now called by Jaguar.", "method", "Jaguar"),
    ("Ford formerly sold Jaguar.", "Ford", "Jaguar"),
    ("Release 7.1, formerly Release 7.0, is out.", "Release 7.1", "Release 7.0"),
]


def test_what_was_before_need_be_no_name() -> None:
    names = dict.fromkeys(name for _, *pair in NOT_RENAMED for name in pair)
    assert entities(run(*names, texts=[text for text, *_ in NOT_RENAMED])) == set()


def test_what_a_person_was_is_no_name() -> None:
    person = ("Jane Doe", "PERSON", 3)
    assert not entities(run(person, "President", texts=["Jane Doe, formerly President, spoke."]))
    known = "Jane Doe, formerly known as Jane Roe, spoke."
    assert entities(run(person, ("Jane Roe", "PERSON", 1), texts=[known]))


def test_the_longest_names_are_meant() -> None:
    text = "Acme Cloud Platform, now called Acme Business Platform, is large."
    names = ("Platform", "Acme Cloud Platform", "Acme", "Acme Business Platform")
    assert entities(run(*names, texts=[text])) == {
        frozenset({"acme cloud platform", "acme business platform"})
    }
    assert len(list(readings(text))) == 1
