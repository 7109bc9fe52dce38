"""Spellings in a mapped table: what is found, by which bytes, and what is not."""

import random

import pytest

from graphrag_tasks.graph.names.tables import spelling_tables
from graphrag_tasks.language.known_names import find_names, folded_name
from graphrag_tasks.retrieval.graph.spellings import Spellings
from graphrag_tasks.storage.columns import SortedTexts

NAMES = ["S/4HANA", "table VBBE", "Łódź", "日本", "s 4hana"]
CALLED = {"s 4hana": [4, 0], "table vbbe": [1], folded_name("Łódź"): [2], "日本": [3]}


@pytest.fixture
def spellings() -> Spellings:
    return Spellings(**spelling_tables(CALLED, NAMES, places={"s 4hana": 7, "日本": 0}))


def test_each_spelling_has_its_entities_in_their_order(spellings: Spellings) -> None:
    assert {key: list(spellings.entities(key)) for key in CALLED} == CALLED
    assert all(key in spellings for key in CALLED)


@pytest.mark.parametrize("key", ["", "s", "s 4hanaa", "zzz", "\x00", "\ud800", "日", "日本語"])
def test_what_is_not_there_is_not_found(spellings: Spellings, key: str) -> None:
    assert key not in spellings
    assert spellings.entities(key) == ()
    assert key not in spellings.called
    assert key not in spellings.places


def test_a_code_in_a_name_leads_to_it_and_is_no_name(spellings: Spellings) -> None:
    assert spellings.entities("vbbe") == (1,)
    assert "vbbe" in spellings
    assert "vbbe" not in spellings.called
    assert "table vbbe" in spellings.called


def test_places_are_a_mapping_of_the_names_alone(spellings: Spellings) -> None:
    assert dict(spellings.places) == {"s 4hana": 7, "日本": 0}
    assert len(spellings.places) == 2
    with pytest.raises(KeyError):
        spellings.places["table vbbe"]


def test_nothing_is_spelled_in_an_empty_index() -> None:
    empty = Spellings(**spelling_tables({}, [], places={}))
    assert "a" not in empty
    assert dict(empty.places) == {}


def test_names_found_in_sorted_spellings_are_those_found_in_a_set() -> None:
    choose = random.Random(0)
    known, asked = ["ab", "cd", "ef", "gh", "日本"], ["Ab", "cd", "EF", "gh", "ij", "日本", "日"]
    names = sorted({" ".join(choose.choices(known, k=choose.randint(1, 4))) for _ in range(40)})
    spelled = Spellings(
        **spelling_tables({name: [row] for row, name in enumerate(names)}, names, places={})
    )
    for _ in range(50):
        text = " ".join(choose.choices(asked, k=choose.randint(0, 9)))
        assert find_names(text, spelled, 1) == find_names(text, set(names), 1), text
        assert find_names(text, spelled.called, 1) == find_names(text, set(names), 1), text


def test_few_spellings_are_looked_up_for_a_long_question(monkeypatch: pytest.MonkeyPatch) -> None:
    spelled = Spellings(**spelling_tables({"ab cd": [0]}, ["ab cd"], places={}))
    looked_up: list[object] = []
    look_up = SortedTexts.row_of
    monkeypatch.setattr(
        SortedTexts, "row_of", lambda self, text: (looked_up.append(text), look_up(self, text))[1]
    )
    assert [match.key for match in find_names("who gave ab cd to whom " * 9, spelled)] == [
        "ab cd"
    ] * 9
    assert len(looked_up) <= 2 * 9
