"""Acronyms and what they stand for."""

from __future__ import annotations

from collections.abc import Callable, Collection

from graphrag_tasks.language import forms
from graphrag_tasks.storage.sql import Connection, statements

ALIAS_RULE = "alias"
"""Rule of the triples (long form, "be known as", short form) that extraction finds."""

_MOST_LONG_FORMS = 100
"""A short form of more stands for several things; all are compared with each other."""

_SQL = statements(__package__, "acronyms.sql", alias_rule=ALIAS_RULE)


def introduced(connection: Connection) -> list[tuple[str, str]]:
    """Return the keys of short and long forms that a text or a title introduces."""
    return connection.sql(_SQL["acronyms"]).fetchall()


def by_initials(connection: Connection) -> list[tuple[str, str]]:
    """Return the keys of short and long forms that no text introduces.

    The short form is three to six capitals, the long one as many words with capitals and these
    initials ("of" and the like left out), in a third of the short one's documents at least. A
    vendor before either does not count; the connection knows `vendors`.
    """
    return connection.sql(_SQL["initials"]).fetchall()


def stood_for(short: str, longs: Collection[str], canonical: Callable[[str], str]) -> set[str]:
    """Return the long forms that a short form stands for; none where those are several things.

    Where long forms begin with the letter of the short one and have its others, no other counts:
    "processing framework (bgPF)" lacks a word. One with words before another ("programmatic ABAP
    Test Cockpit check") has the short form for a part of it. Of the rest those count whose letters
    the short form has: texts also write "Code Inspector (ATC)". One that goes on from these ("ABAP
    development tools for Eclipse") is the same thing.
    """
    if len(longs) > _MOST_LONG_FORMS:
        return set()
    longs = [long for long in longs if long[0] == short[0] and abbreviates(short, long)] or longs
    parts = [long for long in longs if not any(is_within(other, long) for other in longs)]
    meant = [part for part in parts if abbreviates(short, part)] or parts
    if len({canonical(_with_singular_words(one)) for one in meant}) > 1:
        return set()
    return {long for long in longs if any(f"{long} ".startswith(f"{other} ") for other in meant)}


def abbreviates(short: str, long: str) -> bool:
    """Return whether the letters of a short form come in a long one in their order.

    The first letter begins a word. Source: Schwartz and Hearst, "A simple algorithm for identifying
    abbreviation definitions in biomedical text" (2003).
    """
    letters = [letter for letter in short if letter.isalnum()]
    place = len(long)
    for number, letter in reversed(list(enumerate(letters))):
        place = long.rfind(letter, 0, place)
        while number == 0 and place > 0 and long[place - 1].isalnum():
            place = long.rfind(letter, 0, place)
        if place < 0:
            return False
    return bool(letters)


def is_within(part: str, whole: str) -> bool:
    """Return whether a name is some of the words of another."""
    return part != whole and f" {part} " in f" {whole} "


def _with_singular_words(key: str) -> str:
    return " ".join(map(forms.singular_noun, key.split(" ")))
