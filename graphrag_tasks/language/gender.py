"""Soft cues of a person's gender: titles, nouns and first names.

None of them excludes a candidate: name lists are wrong for whole regions, and a veto by them
costs one to two points of F1 on GAP. All cues are signed, so that features can be symmetric:
positive where they agree with the pronoun, whichever it is.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from importlib import resources
from typing import Literal

Gender = Literal["feminine", "masculine"]


def words(text: str) -> frozenset[str]:
    """Return the words of a list that is written as one text."""
    return frozenset(text.split())


FEMININE_PRONOUNS = frozenset({"she", "her", "hers", "herself"})
MASCULINE_PRONOUNS = frozenset({"he", "him", "his", "himself"})

MASCULINE_TITLES = words("mr sir king prince lord duke father brother emperor count baron fr don")
FEMININE_TITLES = words(
    "mrs ms miss lady queen princess duchess mother sister empress countess dame madame "
    "baroness mlle mme"
)
_MASCULINE_NOUNS = words(
    "man boy husband son father brother grandfather uncle nephew grandson actor king prince "
    "duke gentleman guy boyfriend lord emperor widower stepfather monk priest businessman "
    "salesman spokesman chairman congressman sportsman waiter host hero bishop wizard dad "
    "groom half-brother stepson baron fisherman policeman fireman"
)
_FEMININE_NOUNS = words(
    "woman girl wife daughter mother sister grandmother aunt niece granddaughter actress "
    "queen princess duchess lady girlfriend empress widow stepmother nun businesswoman "
    "spokeswoman chairwoman congresswoman sportswoman waitress hostess heroine witch mom "
    "bride half-sister stepdaughter baroness countess mistress goddess maid nanny soprano "
    "housewife ballerina"
)


def gender_of_pronoun(word: str) -> Gender | None:
    """Return the gender that a personal pronoun shows; None for all other words."""
    lower = word.lower()
    if lower in FEMININE_PRONOUNS:
        return "feminine"
    return "masculine" if lower in MASCULINE_PRONOUNS else None


def title_gender(words: Iterable[str]) -> int:
    """Return 1 where one of the folded words is a woman's title, -1 for a man's, else 0."""
    return _vote(words, FEMININE_TITLES, MASCULINE_TITLES)


def noun_gender(words: Iterable[str]) -> int:
    """Return 1 where one of the lower-case words names a woman, -1 for a man, else 0."""
    return _vote(words, _FEMININE_NOUNS, _MASCULINE_NOUNS)


def first_name_gender(name: str) -> float:
    """Return log2 of how much more often a folded first name is a woman's: -4 to 4, else 0."""
    return _first_names().get(name, 0.0)


def _vote(words: Iterable[str], feminine: frozenset[str], masculine: frozenset[str]) -> int:
    signs = [(word in feminine) - (word in masculine) for word in words]
    return next((sign for sign in signs if sign), 0)


@functools.cache
def _first_names() -> dict[str, float]:
    """Read the list: made by `training/first_names.py` from the US census of 1990 and Faker."""
    file = resources.files(__package__) / "first_names.json"
    return dict(json.loads(file.read_text("utf-8")))
