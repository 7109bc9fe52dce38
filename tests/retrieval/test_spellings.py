"""Spellings in a mapped table: what is found, by which bytes, and what is not."""

import pytest

from graphrag_tasks.graph.names.tables import spelling_tables
from graphrag_tasks.language.known_names import folded_name
from graphrag_tasks.retrieval.graph.spellings import Spellings

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
