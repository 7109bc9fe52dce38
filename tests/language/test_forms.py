"""Canonical forms: each step takes one kind of variation away, and nothing else."""

import pytest

from graphrag_tasks.language import forms


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("s/4hana 1809", ("4", "1809")),
        ("−3.2 °c", ("−3.2",)),
        ("1,000 rows", ("1,000",)),
        ("u.s. congress", ()),
        ("clean core", ()),
    ],
)
def test_numbers_are_found_whole(key: str, found: tuple[str, ...]) -> None:
    assert forms.numbers(key) == found


@pytest.mark.parametrize(
    ("key", "form"),
    [
        ("internal tables", "internal table"),
        ("git repositories", "git repository"),
        ("movies", "movie"),
        ("global classes", "global class"),
        ("names of the formal parameters", "name of the formal parameters"),
        ("steps 1", "step 1"),
        ("matrices", "matrix"),
        ("status", "status"),
        ("news", "news"),
        ("analysis", "analysis"),
        ("address", "address"),
        ("abs", "abs"),
    ],
)
def test_the_head_noun_becomes_singular(key: str, form: str) -> None:
    assert forms.singular(key) == form


@pytest.mark.parametrize(
    ("key", "form"),
    [
        ("time-stamp", "timestamp"),
        ("time stamp", "timestamp"),
        ("second sino - japanese war", "secondsinojapanesewar"),
        ("u.s. congress", "uscongress"),
        ("node.js 14", "nodejs14"),
        ("1.5 m", "1.5 m"),
        ("15 m", "15 m"),
        ("film's music", "film'smusic"),
    ],
)
def test_words_are_joined_and_numbers_are_not(key: str, form: str) -> None:
    assert forms.joined(key) == form


def test_spelling_and_accents() -> None:
    assert forms.american("organisation of colour at the theatre") == (
        "organization of color at the theater"
    )
    assert forms.unaccented("françois müller") == "francois muller"


def test_brackets_of_optional_letters() -> None:
    assert forms.unbracketed("test system(s)") == "test system"
    assert forms.unbracketed("(de)serialization") == "deserialization"


def test_a_lone_letter_is_no_initial() -> None:
    assert forms.has_lone_letter("model s")
    assert forms.has_lone_letter("value-s")
    assert not forms.has_lone_letter("u.s. state")
    assert not forms.has_lone_letter("data model")
