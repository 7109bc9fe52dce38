"""Slips: what fingers do to a word that the corpus writes, and nothing that makes another word."""

import pytest

from graphrag_tasks.entities.resolve.canonical import find_slips, words_of

WORDS = {"environment": 40, "constructor": 12, "context": 30, "format": 9, "parameter": 20,
         "parameters": 20, "exercise": 12}  # fmt: skip


def slips(word: str, *, count: int = 1, known: bool = False) -> dict[str, str]:
    return find_slips(WORDS | {word: count}, lambda _: known)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("enviroment", "environment"),
        ("contructor", "constructor"),
        ("exercisse", "exercise"),
        ("paramter", "parameter"),
        ("environemnt", "environment"),
    ],
)
def test_letters_left_out_doubled_or_exchanged(word: str, meant: str) -> None:
    assert slips(word) == {word: meant}


@pytest.mark.parametrize(
    "word",
    [
        "content",  # a letter for another
        "formats",  # inflected
        "xcontext",  # the first letter
        "formt",  # short
        "envirment",  # two letters
        "param3ter",  # no word
    ],
)
def test_other_words_are_none(word: str) -> None:
    assert slips(word) == {}


def test_what_the_corpus_often_writes_is_meant() -> None:
    assert slips("enviroment", count=5) == {}


def test_a_word_of_the_language_is_no_slip() -> None:
    assert slips("enviroment", known=True) == {}


def test_two_candidates_are_none() -> None:
    assert find_slips({"marching": 9, "matching": 9, "macthing": 1}, lambda _: False) == {
        "macthing": "matching"
    }
    assert find_slips({"stationary": 9, "stationery": 9, "stationry": 1}, lambda _: False) == {}


def test_a_first_word_with_a_capital_is_no_common_word() -> None:
    names = ["test case", "Tset case", "the Tset case"]
    assert sorted(words_of(names)) == ["case", "case", "case", "test", "the", "tset"]
