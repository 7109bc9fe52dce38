"""Known words of the language, frequency of nouns, and gender of names and nouns.

Gender is only a weight: name lists are wrong for whole regions, and using them as a veto costs one to two points of F1
on GAP. Women count above 0 and men below, so that features can be symmetric.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, Literal

from graphrag_tasks.language import load_pipeline
from graphrag_tasks.language.names import singular_noun

_ENDINGS = (("ing", ("", "e")), ("ed", ("", "e")), ("es", ("",)), ("s", ("",)), ("ly", ("",)))
_SHORTEST_STEM = 3  # Shortest stem left by removing an ending; shorter rests are other words ("s|ing", "b|us").


@cache
def known_words(model: str) -> Callable[[str], bool]:
    """Return a test for lower-case words of the language.

    Known are the words that the model was trained with, its lemmatizer's index, and their regular inflections.
    """
    pipeline = load_pipeline(model, components=("lemmatizer",))
    strings = pipeline.vocab.strings
    indexed: set[str] = set()
    if "lemmatizer" in pipeline.pipe_names:
        lemmatizer: Any = pipeline.get_pipe("lemmatizer")
        indexed.update(*lemmatizer.lookups.get_table("lemma_index", {}).values())

    def in_lists(word: str) -> bool:
        return word in indexed or word in strings

    def is_known(word: str) -> bool:
        return in_lists(word) or any(
            word.endswith(ending) and in_lists(word.removesuffix(ending) + letter)
            for ending, letters in _ENDINGS
            if len(word) >= len(ending) + _SHORTEST_STEM
            for letter in letters
        )

    return is_known


Gender = Literal["feminine", "masculine"]


def _read(name: str) -> dict[str, Any]:
    return dict(json.loads((resources.files(__package__) / name).read_text("utf-8")))


_GENDERS: dict[str, dict[str, Any]] = {
    kind: {word: gender for gender, text in by_gender.items() for word in text.split()}
    for kind, by_gender in _read("person_words.json").items()
}
_SIGNS = {"feminine": 1, "masculine": -1}

TITLES = frozenset(_GENDERS["titles"])  # Folded personal titles, including neutral ones.


def gender_of_pronoun(word: str) -> Gender | None:
    """Return the gender of a personal pronoun; None for other words."""
    return _GENDERS["pronouns"].get(word.lower())


def title_gender(words: Iterable[str]) -> int:
    """Return 1 if the folded words contain a woman's title, -1 for a man's, else 0."""
    return _vote("titles", words)


def noun_gender(words: Iterable[str]) -> int:
    """Return 1 if the lower-case words name a woman, -1 for a man, else 0."""
    return _vote("nouns", words)


def _vote(kind: str, words: Iterable[str]) -> int:
    genders = map(_GENDERS[kind].get, words)
    return next((_SIGNS[gender] for gender in genders if gender in _SIGNS), 0)


def first_name_gender(name: str) -> float:
    """Return the log2 ratio of women to men for a folded first name: -4 to 4; 0 if unknown."""
    return float(_first_names().get(name, 0.0))


@cache
def _first_names() -> dict[str, float]:
    """Read the list that `benchmarks/training/first_names.py` makes from a census and Faker."""
    return _read("first_names.json")


# Frequency of nouns in general English, estimated from the order of a vocabulary.

_FIRST_WORD = 1996  # Id of the most frequent word; punctuation and letters come first.
_ZIPF = 0.1  # Zipf's constant for a vocabulary of about 10,000 words.


@cache
def shares_of_nouns() -> Mapping[str, float]:
    """Return each noun's share of all words, including its plural, by singular."""
    file = resources.files("graphrag_tasks.embed") / "technical_minilm/tokenizer.json"
    found: Counter[str] = Counter()
    for word, place in json.loads(file.read_text("utf-8"))["model"]["vocab"].items():
        if place >= _FIRST_WORD and word.isalpha():
            found[singular_noun(word)] += _ZIPF / (place - _FIRST_WORD + 1)
    return MappingProxyType(dict(found))


# Word lists stored as JSON beside the rules that use them.


class WordLists:
    """The lists in a package's `words.json`, by name."""

    def __init__(self, package: str) -> None:
        text = (resources.files(package) / "words.json").read_text("utf-8")
        self._lists: dict[str, Any] = json.loads(text)

    def words(self, name: str) -> frozenset[str]:
        """Return a list as a set."""
        return frozenset(self._lists[name])

    def mapping(self, name: str) -> dict[str, str]:
        """Return a list of pairs."""
        return dict(self._lists[name])

    def any_of(self, name: str) -> str:
        """Return a regular expression that matches any entry; entries are expressions."""
        return f"(?:{'|'.join(self._lists[name])})"
