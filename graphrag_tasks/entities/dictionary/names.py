"""Extract names from titles, headings, table keys and defined terms.

Most first columns hold prose, steps and code. A cell counts as a name where it is an identifier or a few words that
begin with capitals; in a definition list the explanation counts, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphrag_tasks.entities.words import words
from graphrag_tasks.language.names import entity_key, plain_heading

FULL, BASE, FIRST, ACRONYM = "full", "base", "first", "acronym"
"""Forms of a title: whole, without its brackets, up to its first comma, and the abbreviation in its brackets."""

GENERIC_HEADINGS = words("generic_headings")  # Headings that only say what a section is for ("Prerequisites").

_WHAT_IS = re.compile(
    r"wh(?:at|o)(?:’s|'s| is| are| was| were)\s(?:an?\s|the\s)?(?P<name>[^?]{2,60}?)\s?\??", re.IGNORECASE
)
_BRACKETS = re.compile(r"\s*[(\[]([^()\[\]]+)[)\]]\s*")
_ACRONYM = re.compile(r"[A-Z][A-Za-z0-9/&-]*[A-Z0-9s]")
_ENUMERATES = re.compile(r",|\b(?:and|or|using|with|for|to)\b")


def heading_key(surface: str) -> str:
    """Return the key under which equal headings meet."""
    return entity_key(plain_heading(surface))


def name_forms(surface: str) -> Iterator[tuple[str, str]]:
    """Yield the names in a title or heading, each with its form.

    "Paris, Texas (film)" is also "Paris, Texas" and "Paris"; "Test Cockpit (TC)" is "Test Cockpit" and "TC", whose
    letters are its initials. "What is AML?" names AML, other questions nothing.
    """
    full = plain_heading(surface)
    if asked := _WHAT_IS.fullmatch(full):
        full = asked["name"]
    elif full.endswith("?"):
        return
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
    """Return a text without its bracketed parts."""
    return " ".join(_BRACKETS.sub(" ", text).split())


def _abbreviates(short: str, long: str) -> bool:
    """Return whether the letters of a short form are, in order, initials of the long form."""
    letters = [letter for letter in short.removesuffix("s").casefold() if letter.isalnum()]
    initials = iter([word[0] for word in re.findall(r"[^\W_]+", long.casefold())])
    return len(letters) > 1 and all(letter in initials for letter in letters)


_FEWEST_WORDS, _MOST_WORDS = 2, 4
_LONGEST, _LONGEST_WITH_BRACKETS = 60, 200
"""Characters of a name without and with brackets; longer texts are prose. Chosen."""

_IDENTIFIER = re.compile(
    r"(?=[^_]*[A-Za-z]{2})(?:/\w+/)?[A-Za-z](?:\w*(?:_|[a-z][A-Z]|[A-Z]\d)\w*)(?:[-.~]\w+)*(?:\(\))?"
)
"""A word with an underscore, a capital inside or a number behind a capital; also as a call."""
_WORD = re.compile(r"[^\W_][\w/&.+#'’-]*[\w+#](?:\(\))?|[^\W\d_]|\d+")
_LINKS = frozenset({"by", "for", "from", "in", "of", "on", "per", "to", "via", "with"})
"""Small words inside names in capitals."""
_OTHER_WORDS = words("words_of_prose")  # Words that occur in prose but in no name.
_DEFINES = re.compile(
    r"(?:an?|any|the|is|are|(?:[a-z]+ly )?(?:contains?|converts?|consists?|defines?|denotes?|"
    r"describes?|determines?|handles?|holds?|identifies|identify|means|provides?|refers?|"
    r"represents?|returns?|specifies|specify|stands?|stores?))\b",
    re.IGNORECASE,
)


def term_forms(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names in a table key or term: without brackets, and its abbreviation."""
    base = without_brackets(text)
    yield base, FULL if base == text else BASE
    yield from ((name, form) for name, form in name_forms(text) if form == ACRONYM)


def is_key(text: str) -> bool:
    """Return whether a cell of a table's first column is written like a name."""
    words = _words(text)
    if len(words) < _FEWEST_WORDS:
        return _is_identifier(*words)
    return all(word in _LINKS or not word[0].islower() for word in words)


def is_entry(text: str) -> bool:
    """Return whether a glossary entry is written like a name; one word is enough."""
    return len(_words(text)) > 0


def is_term(text: str, explanation: str) -> bool:
    """Return whether the text before a colon or dash is a name that the text after it defines.

    "Late numbering: The key is assigned when it is saved" defines late numbering; "For event handlers: SET HANDLER …"
    and "Secure the cloud: …" define nothing.
    """
    words = _words(text)
    if len(words) < _FEWEST_WORDS:
        return _is_identifier(*words)
    if words[0].casefold() in _LINKS:
        return False
    again = " ".join(words).casefold() in explanation.casefold()
    return again or _DEFINES.match(explanation) is not None


def _words(text: str) -> list[str]:
    """Return the words of a text without brackets; empty where the text cannot be a name."""
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
