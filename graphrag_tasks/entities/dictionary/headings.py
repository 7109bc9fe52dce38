"""Titles and headings as names: without their numbers, and the names inside them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphrag_tasks.entities.words import words
from graphrag_tasks.language.names import entity_key

FULL, BASE, FIRST, ACRONYM = "full", "base", "first", "acronym"
"""Forms of a title: as it stands, without what it has in brackets, up to its first comma, and the
abbreviation in its brackets."""

GENERIC_HEADINGS = words("generic_headings")
"""Keys of headings that say what a section is for, and name nothing."""

_NUMBERING = re.compile(
    r"^(?:\d+(?:\.\d+)*[.)]?|[A-Z]\.|(?:step|chapter|section)\s+\d+[.:]?)\s+(?=\S)", re.IGNORECASE
)
_ORNAMENT = re.compile(r"^[^\w(\[/<\"'“‘]+")
_BRACKETS = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]\s*")
_ACRONYM = re.compile(r"[A-Z][A-Za-z0-9/&-]*[A-Z0-9s]")
_ENUMERATES = re.compile(r",|\b(?:and|or|using|with|for|to)\b")


def heading_key(surface: str) -> str:
    """Return what two headings must share to be one."""
    return entity_key(plain_heading(surface))


def plain_heading(surface: str) -> str:
    """Return a heading without its number and without ornaments before it."""
    return _NUMBERING.sub("", _ORNAMENT.sub("", surface.strip()))


def name_forms(surface: str) -> Iterator[tuple[str, str]]:
    """Yield the names that a title or heading gives, each with its form.

    "Paris, Texas (film)" is also "Paris, Texas" and "Paris"; "Test Cockpit (TC)" is "Test Cockpit"
    and "TC", whose letters are its initials.
    """
    full = plain_heading(surface)
    inside = _BRACKETS.findall(full)
    base = without_brackets(full)
    if len(inside) == 1 and _ACRONYM.fullmatch(inside[0]) and _abbreviates(inside[0], base):
        yield base, BASE
        yield inside[0], ACRONYM
    else:
        yield full, FULL
        if inside and base:
            yield base, BASE
    first, comma, rest = base.partition(", ")
    if comma and first and not _ENUMERATES.search(rest):
        yield first, FIRST


def without_brackets(text: str) -> str:
    """Return a text without what it has in brackets."""
    return " ".join(_BRACKETS.sub(" ", text).split())


def _abbreviates(short: str, long: str) -> bool:
    """Return whether the letters of the short form are, in order, initials of the long one."""
    letters = [letter for letter in short.removesuffix("s").casefold() if letter.isalnum()]
    initials = iter([word[0] for word in re.findall(r"[^\W_]+", long.casefold())])
    return len(letters) > 1 and all(letter in initials for letter in letters)
