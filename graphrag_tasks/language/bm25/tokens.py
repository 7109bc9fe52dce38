"""Terms of a text for lexical search: code names whole and in parts, other words stemmed.

`/SCMB/TOOL` gives the squeezed form `scmbtool` and the parts `scmb`, `tool`; `CL_GUI_ALV_GRID` gives `clguialvgrid` and
`cl`, `gui`, `alv`, `grid`; `S/4HANA`, `S4HANA` and the adjacent words `S4 HANA` share `s4hana`. The squeezed form
matches other spellings of a name; the parts match a partial name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from string import ascii_lowercase, digits

import Stemmer

from graphrag_tasks.language.names import unaccented

_STOP_WORDS = """
a an and are as at be been being but by can could did do does for from had has have he her
his how i if in into is it its may me might must my no nor not of on or our shall she
should so some such than that the their them then there these they this those to too us
very was we were what when where which while who whom whose why will with would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())  # Function words, and words that questions begin with.

_WORD = re.compile(r"[^\W_]+(?:['’./_\-:~+&#]+[^\W_]+)*")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_A-Za-z]+")
_PIECE = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['’]s$", re.IGNORECASE)
_LONGEST_WORD = 100  # Longer words are cut: no word is so long, but encoded data is.
_JOINED = 3  # Adjacent question words that may form one term, as in "S 4 HANA".
_SHORT = 2  # Name parts of at most this many characters are no terms.
_SHORTEST_REPAIRED = 4
_MOST_REPAIRED = 20
"""Longest term that is corrected, as longer ones have many neighbours, and most corrected terms of a question, which
bounds the time of pasted texts. Chosen, not measured."""
_STEMMER = Stemmer.Stemmer("english", 0)  # without its cache, which threads must not share


@lru_cache(maxsize=65_536)
def fold(word: str) -> str:
    """Return a word in lower case without accents and possessive ending."""
    return _bare(word).casefold()


def _bare(word: str) -> str:
    word = _POSSESSIVE.sub("", word)
    return unaccented(word) or word


def words(text: str) -> list[str]:
    """Return the words of a text as written; punctuation inside a name belongs to it."""
    return [match[0] for match in _WORD.finditer(text)]


def terms(text: str) -> list[str]:
    """Return the terms by which a text is indexed and searched, in order, with repeats."""
    return [term for word in words(text) for term in _terms_of(word)]


def is_code_name(word: str) -> bool:
    """Tell whether a word is a code name: it has a digit, `_`, or a capital inside."""
    return any(sign.isdigit() or sign == "_" for sign in word) or (
        any(map(str.isupper, word[1:])) and not word.isupper()
    )


def query_terms(text: str, known: Collection[str]) -> list[str]:
    """Return the terms of a question, with joined and corrected forms.

    Up to three adjacent words that together form a known term give that term too ("S4 HANA"). An unknown term is
    replaced by the known terms one edit away, if there are any.
    """
    found: list[str] = []
    repaired = 0
    for term in terms(text):
        if term in known or repaired == _MOST_REPAIRED:
            found.append(term)
        else:
            found += _repaired(term, known) or [term]
            repaired += 1
    pieces = [fold(piece[0]) for piece in _PIECE.finditer(text)]
    for length in range(2, _JOINED + 1):
        for start in range(len(pieces) - length + 1):
            joined = "".join(pieces[start : start + length])
            if joined in known and joined not in found and any(map(str.isdigit, joined)):
                found.append(joined)
    return found


@lru_cache(maxsize=65_536)
def _terms_of(word: str) -> tuple[str, ...]:
    pieces = _PIECE.findall(_bare(word[:_LONGEST_WORD]))
    parts = [part for piece in pieces for part in _PART.findall(piece)]
    whole = "".join(pieces).casefold()
    if len(parts) == 1:
        return () if whole in STOP_WORDS else (_STEMMER.stemWord(whole),)
    kept = [one for one in pieces if len(one) > 1] + [one for one in parts if len(one) > _SHORT]
    folded = [one for one in map(str.casefold, kept) if one not in STOP_WORDS]
    return tuple(dict.fromkeys([whole, *map(_STEMMER.stemWord, folded)]))


def _repaired(term: str, known: Collection[str]) -> list[str]:
    if len(term) < _SHORTEST_REPAIRED or any(map(str.isdigit, term)):
        return []
    return sorted({one for one in _one_slip_away(term) if one in known})


def _one_slip_away(term: str) -> Iterator[str]:
    """Yield every spelling one deletion, insertion, substitution or transposition away.

    The first letter stays, which slips seldom change: a "wage" is no "page".
    """
    halves = [(term[:place], term[place:]) for place in range(1, len(term) + 1)]
    for left, right in halves:
        if right:
            yield left + right[1:]
        if len(right) > 1:
            yield left + right[1] + right[0] + right[2:]
        for letter in ascii_lowercase + digits:
            yield left + letter + right
            if right:
                yield left + letter + right[1:]
