"""Known names found in questions, and what is a name at all."""

from __future__ import annotations

import pytest

from graphrag_tasks.language.known_names import can_be_named, find_names, folded_name, runs

NAMES = [
    "New York",
    "New York City",
    "York",
    "S/4HANA",
    "CL_GUI_ALV_GRID",
    "Café Müller",
    "The End",
    "abapGit",
]
KNOWN = {folded_name(name): name for name in NAMES}


def found(text: str) -> list[tuple[str, str, bool]]:
    return [
        (KNOWN[match.key], text[match.start : match.end], match.as_name)
        for match in find_names(text, KNOWN)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "New York City and York",
            [("New York City", "New York City", True), ("York", "York", True)],
        ),
        ("New York's mayor", [("New York", "New York's", True)]),
        ("old york", [("York", "york", False)]),
        ("for S/4HANA, s/4 hana", [("S/4HANA", "S/4HANA", True)]),
        ("call cl_gui_alv_grid", [("CL_GUI_ALV_GRID", "cl_gui_alv_grid", False)]),
        ("Cafe Muller", [("Café Müller", "Cafe Muller", True)]),
        ("at the end", [("The End", "the end", False)]),
        (
            "before York New York City",
            [("York", "York", True), ("New York City", "New York City", True)],
        ),
        ("New York'S mayor", [("New York", "New York'S", True)]),
        ("New", []),
        ("with abapGit", [("abapGit", "abapGit", True)]),
        ("with abapgit", [("abapGit", "abapgit", False)]),
        ("", []),
    ],
)
def test_longest_names_first(text: str, expected: list[tuple[str, str, bool]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("The", False),
        ("of the", False),
        ("XYZ", False),
        ("VBBS", True),
        ("a b", True),
        ("?", False),
    ],
)
def test_what_questions_are_searched_for(name: str, expected: bool) -> None:
    assert can_be_named(folded_name(name)) is expected


def test_of_two_that_overlap_the_longer_counts() -> None:
    known = {"first run", "run the race"}
    assert [match.key for match in find_names("came first, Run The Race or", known)] == [
        "run the race"
    ]


def test_what_is_inside_a_name() -> None:
    assert list(runs("a b c")) == ["a", "b", "c", "a b", "b c"]
    assert list(runs("a")) == []
