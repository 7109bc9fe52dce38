"""Names in a line of text, without a parse: what stands between the words that end a name."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_WORDS = 8
"""Longer runs of words are clauses."""

_LEADING = re.compile(
    r"(?:(?:an?|the|this|that|these|those|any|each|all|some|your|our|its|their|existing|either|"
    r"both|the following)\s+)+",
    re.IGNORECASE,
)
_EDGES = " \t.,;:!?\"'“”‘’`*•·–—-"
_END = re.compile(
    r"\s(?:and|or|but|that|which|who|when|where|while|if|because|so|as|by|for|from|in|into|on|onto|"
    r"to|with|within|without|via|using|than|instead|is|are|was|were|can|will|must|should|may|has|"
    r"have|based|under|about|at|before|after|during|through|e\.g\.)(?=\s|$)|[,;:()\[\]]|\.(?=\s|$)|"
    r"\s[–—-]\s"
)
_JOINT = re.compile(r"\s*(?:,\s*(?:and\s|or\s)?|\s(?:and|or)\s)\s*")
_CLAUSE = re.compile(r"[a-z]+\s(?:the|an?|these|this|your|all|it|them)\s")
"""A verb and its object, which a conjunction joins to the clause and not to a name."""
_PRONOUNS = frozenset(
    {"it", "they", "you", "we", "he", "she", "i", "this", "that", "these", "those", "there", "them"}
    | {"which", "what", "who", "how", "following", "example", "one", "here", "something", "all"}
)
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Name:
    """A name and the characters of the sentence that it covers.

    A name that the sentence leaves out, because the one before it has it, covers none:
    `start == end`.
    """

    text: str
    start: int
    end: int


def name_at(text: str, start: int, end: int | None = None) -> Name | None:
    """Return the name that begins at a place: up to a preposition, verb form or comma.

    Args:
        text: The sentence.
        start: Where to begin; articles are passed over.
        end: Where to end at the latest; the end of the text by default.

    Returns:
        The name, or None where there is none, or only a pronoun, or too many words.
    """
    end = len(text) if end is None else end
    while start < end and text[start] in _EDGES:
        start += 1
    if leading := _LEADING.match(text, start, end):
        start = leading.end()
    if stop := _END.search(text, start, end):
        end = stop.start()
    return name_of(text, start, end)


def name_of(text: str, start: int, end: int) -> Name | None:
    """Return the name between two places, without articles and punctuation around it."""
    while start < end and text[start] in _EDGES:
        start += 1
    while start < end and text[end - 1] in _EDGES:
        end -= 1
    if leading := _LEADING.match(text, start, end):
        start = leading.end()
    found = text[start:end]
    if not _WORD.search(found) or len(found.split()) > MAX_WORDS:
        return None
    return None if found.casefold() in _PRONOUNS else Name(found, start, end)


def names_at(text: str, start: int, end: int | None = None) -> list[Name]:
    """Return the names of a coordination ("A, B or C") that begins at a place."""
    end = len(text) if end is None else end
    found: list[Name] = []
    while (name := name_at(text, start, end)) is not None:
        found.append(name)
        joint = _JOINT.match(text, name.end, end)
        if joint is None or _CLAUSE.match(text, joint.end()):
            break
        start = joint.end()
    return found
