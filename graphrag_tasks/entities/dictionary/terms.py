"""Keys of tables and defined terms as names: which of them are names, by their shape.

Most first columns hold prose, steps and code. A name is what is written as one: an identifier, or
a few words that begin with capitals. In a list of definitions the explanation tells it, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphrag_tasks.entities.dictionary.headings import (
    ACRONYM,
    BASE,
    FULL,
    GENERIC_HEADINGS,
    name_forms,
    without_brackets,
)
from graphrag_tasks.entities.words import words
from graphrag_tasks.language.names import entity_key

_FEWEST_WORDS, _MOST_WORDS = 2, 4
_LONGEST, _LONGEST_WITH_BRACKETS = 60, 200

_IDENTIFIER = re.compile(
    r"(?=[^_]*[A-Za-z]{2})(?:/\w+/)?[A-Za-z](?:\w*(?:_|[a-z][A-Z]|[A-Z]\d)\w*)(?:[-.~]\w+)*"
)
"""A word with an underscore, a capital inside or a number behind a capital."""
_WORD = re.compile(r"[^\W_][\w/&.+#'’-]*[\w+#]|[^\W\d_]|\d+")
_LINKS = frozenset({"by", "for", "from", "in", "of", "on", "per", "to", "via", "with"})
"""Small words inside names in capitals."""
_OTHER_WORDS = words("words_of_prose")
"""Words that no name of a thing has but prose does."""
_DEFINES = re.compile(
    r"(?:an?|any|the|is|are|(?:[a-z]+ly )?(?:contains?|converts?|consists?|defines?|denotes?|"
    r"describes?|determines?|handles?|holds?|identifies|identify|means|provides?|refers?|"
    r"represents?|returns?|specifies|specify|stands?|stores?))\b",
    re.IGNORECASE,
)


def term_forms(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names that a key or a term gives: without brackets, and their abbreviation."""
    base = without_brackets(text)
    yield base, FULL if base == text else BASE
    yield from ((name, form) for name, form in name_forms(text) if form == ACRONYM)


def is_key(text: str) -> bool:
    """Return whether a cell of a table's first column is written as a name is."""
    words = _words(text)
    if len(words) < _FEWEST_WORDS:
        return _is_identifier(*words)
    return all(word in _LINKS or not word[0].islower() for word in words)


def is_term(text: str, explanation: str) -> bool:
    """Return whether a text before a colon or a dash is a name, and what follows says what it is.

    "Late numbering: The key is assigned when it is saved" defines late numbering; "For event
    handlers: SET HANDLER …" and "Secure the cloud: …" define nothing.
    """
    words = _words(text)
    if len(words) < _FEWEST_WORDS:
        return _is_identifier(*words)
    if words[0].casefold() in _LINKS:
        return False
    again = " ".join(words).casefold() in explanation.casefold()
    return again or _DEFINES.match(explanation) is not None


def _words(text: str) -> list[str]:
    """Return the words of a text without brackets, or none where it cannot be a name."""
    if len(text) > _LONGEST_WITH_BRACKETS:
        return []
    base = without_brackets(text)
    words = base.split(" ")
    proper = (
        len(base) <= _LONGEST
        and len(words) <= _MOST_WORDS
        and all(_WORD.fullmatch(word) or _is_identifier(word) for word in words)
        and words[0][0].isalpha()
        and not words[-1].endswith("ly")
        and not (len(words) > 1 and all(map(_is_identifier, words)))
        and _OTHER_WORDS.isdisjoint(map(str.casefold, words))
        and entity_key(base) not in GENERIC_HEADINGS
    )
    return words if proper else []


def _is_identifier(word: str = "") -> bool:
    return _IDENTIFIER.fullmatch(word) is not None
