"""Known names found in texts, and what is a name at all."""

from __future__ import annotations

import pytest

from graphrag_tasks.retrieval.names import NameTrie, can_be_named, name_words, title_aliases

NAMES = [
    "New York",
    "New York City",
    "York",
    "S/4HANA",
    "CL_GUI_ALV_GRID",
    "Café Müller",
    "The End",
]
TRIE = NameTrie(map(name_words, NAMES))


def found(text: str) -> list[tuple[str, str, bool]]:
    return [
        (NAMES[match.row], text[match.start : match.end], match.as_name)
        for match in TRIE.find(text)
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
        ("", []),
    ],
)
def test_longest_names_first(text: str, expected: list[tuple[str, str, bool]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("title", "aliases"),
    [
        ("Lilu (mythology)", ["Lilu (mythology)", "Lilu"]),
        ("Vienna, Virginia", ["Vienna, Virginia", "Vienna"]),
        ("Bach [composer], Johann", ["Bach [composer], Johann", "Bach, Johann", "Bach"]),
        ("(untitled)", ["(untitled)"]),
        ("  ", []),
    ],
)
def test_what_a_title_may_be_called(title: str, aliases: list[str]) -> None:
    assert title_aliases(title) == aliases


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
def test_what_texts_can_be_searched_for(name: str, expected: bool) -> None:
    assert can_be_named(name_words(name)) is expected


def test_of_two_that_overlap_the_longer_counts() -> None:
    trie = NameTrie(map(name_words, ["first run", "run the race"]))
    assert [match.row for match in trie.find("came first, Run The Race or")] == [1]
