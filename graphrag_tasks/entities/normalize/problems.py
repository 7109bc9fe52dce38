"""Reasons why a surface form cannot name an entity."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from graphrag_tasks.entities.words import any_of, words
from graphrag_tasks.language.names import LITERAL, is_code, singular_noun

_SHORTEST, _LONGEST, _MOST_WORDS = 2, 120, 8
"""Characters of the shortest name and of the longest, and words of the longest: beyond, heads and tails are clauses.
The first is the paper's, the others were chosen by reading."""

PRONOUN = "PRON"
LITERAL_TYPES = frozenset({"CARDINAL", "DATE", "MONEY", "NUMBER", "ORDINAL", "PERCENT", "QUANTITY", "TIME"})
"""Labels of literal values: they become attributes of the other end, not entities."""

TITLE, HEADING = "title", "heading"

_FILLERS, _OPENERS, _EMPTY_MODIFIERS = map(words, ("fillers", "openers", "empty_modifiers"))
"""Stop words; words that open fragments; modifiers that do not narrow a noun."""
_ADDITIONS = frozenset({"addition", "clause", "condition", "conditions", "clauses", "operator", "statement"})
"""Nouns that turn a code word before them into a name: "where clause", "if statement"."""

_NUMBER, _MONTH = any_of("number_words"), any_of("months")
_QUANTITY = re.compile(rf"{any_of('about')} (?:[\d$€£]|(?:a|an|{_NUMBER})\b).*")
_DATE_WORD = rf"(?:\d[\d.,:/%]*(?:st|nd|rd|th|s)?|[$€£]\d\S*|{_MONTH}|{any_of('units_of_time')}|{_NUMBER})"
_VALUE = re.compile(rf"{_DATE_WORD}(?:[ –-]{_DATE_WORD})*")
_VALUE_CORE = re.compile(rf"\d|\b(?:{_NUMBER}|(?!march|may){_MONTH})\b")

_SUBJECTS = frozenset({"he", "it", "she", "there", "they", "we", "you"})
"""Pronouns that begin a sentence; a surface with one is a sentence fragment: "They form the colormaps"."""
_PARTS_OF_TEXTS = frozenset({"example", "excerpt", "sample", "snippet"})
_MODIFIERS_OF_THEM = frozenset({"code", "executable", "short", "simple", "simplified"})
"""Modifiers of code shown in the text, which names nothing: "code snippet"."""


def problem_of(surface: str, key: str, type_: str, source: str | None, *, told: bool = True) -> str | None:
    """Return why a surface form cannot be an entity, by the order of `PROBLEMS`, or None.

    Titles and headings are names by their place: a title is never a literal, a stop word or a fragment. A title of many
    words names only its document, unless a triple mentions it.
    """
    return next(_problems(surface, key, type_, source, told), None)


def _problems(surface: str, key: str, type_: str, source: str | None, told: bool) -> Iterator[str]:
    """Yield what is wrong, in the order of `PROBLEMS`."""
    if type_ == PRONOUN:
        yield "pronoun"
    if source != TITLE and ((type_ in LITERAL_TYPES and not is_code(surface)) or _is_value(key)):
        yield LITERAL
    if len(key) < _SHORTEST:
        yield "short"
    if len(key) > _LONGEST:
        yield "long"
    if key.count(" ") >= _MOST_WORDS and not (source == TITLE and told):
        yield "wordy"
    if source != TITLE and _is_stop_word(key):
        yield "stop_word"
    if source is None and _is_fragment(surface, key):
        yield "fragment"
    if not (key[:1].isalnum() or any(map(str.isalnum, key))):
        yield "no_letter"


def _is_value(key: str) -> bool:
    if not any(map(str.isalpha, key)):
        return any(map(str.isdigit, key))
    return _VALUE.fullmatch(key) is not None and _VALUE_CORE.search(key) is not None


def _is_stop_word(key: str) -> bool:
    first = key.partition(" ")[0]
    return key in _FILLERS or (first in _stop_words() and _stop_words().issuperset(key.split(" ")))


def _is_fragment(surface: str, key: str) -> bool:
    first, _, rest = key.partition(" ")
    if first in _SUBJECTS and " " in rest:
        return True
    if not rest or not surface[:1].islower():
        return False
    return (first in _OPENERS and rest not in _ADDITIONS) or _QUANTITY.fullmatch(key) is not None


def bare_noun(name: str, is_known: Callable[[str], bool]) -> str | None:
    """Return the singular of a common noun without modifiers, or None for any other name.

    "examples" and "following example" give the bare noun "example"; "example program" gives None, as does "Example",
    which may be a name.
    """
    words = name.split(" ")
    while len(words) > 1 and words[0] in _EMPTY_MODIFIERS:
        words = words[1:]
    *others, word = words
    if not (_MODIFIERS_OF_THEM.issuperset(others) and word.isalpha() and word.islower()):
        return None
    noun = singular_noun(word)
    return noun if (not others or noun in _PARTS_OF_TEXTS) and is_known(word) else None


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    from spacy.lang.en.stop_words import STOP_WORDS

    return frozenset(STOP_WORDS)
