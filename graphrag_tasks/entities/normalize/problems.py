"""Which nouns are terms of the corpus, and which surface forms cannot name an entity."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import lru_cache

from graphrag_tasks.entities.words import any_of, words
from graphrag_tasks.language.dictionary import shares_of_nouns
from graphrag_tasks.language.domain import Domain
from graphrag_tasks.language.names import LITERAL, is_code, singular_noun

_SHORTEST, _LONGEST, _MOST_WORDS = 2, 120, 8
"""Characters of the shortest name and of the longest, and words of the longest: beyond, heads and tails are clauses.
The first is the paper's, the others were chosen by reading."""

PRONOUN = "PRON"
LITERAL_TYPES = frozenset({"CARDINAL", "CATEGORY", "DATE", "MONEY", "NUMBER", "ORDINAL", "PERCENT", "QUANTITY", "TIME"})
"""Labels of literal values, "CATEGORY" of words such as "paid" in columns: attributes of the other end, no entities."""

TITLE, HEADING = "title", "heading"

_FILLERS, _OPENERS, _EMPTY_MODIFIERS = map(words, ("fillers", "openers", "empty_modifiers"))
"""Stop words; words that open fragments; modifiers that do not narrow a noun."""
_ADDITIONS = frozenset({"addition", "clause", "condition", "conditions", "clauses", "operator", "statement"})
"""Nouns that turn a code word before them into a name: "where clause", "if statement"."""

_NUMBER, _MONTH = any_of("number_words"), any_of("months")
_QUANTITY = re.compile(rf"{any_of('about')} (?:[\d$€£]|(?:a|an|{_NUMBER})\b).*")
_DATE_WORD = rf"(?:\d[\d.,:/%]*(?:st|nd|rd|th|s)?|[$€£]\d\S*|{_MONTH}|{any_of('units_of_time')}|{_NUMBER})"
_VALUE = re.compile(rf"{_DATE_WORD}(?:[ –-]{_DATE_WORD})*")
_UNIT = any_of("units")
_AMOUNT = re.compile(
    rf"(?:{any_of('about')} )?(?:[$€£¥] ?\d[\d.,]*(?: (?:million|billion))?|"
    rf"(?:\d[\d.,/]*|{_NUMBER})(?: ?(?:to|–|-) ?\d[\d.,]*)?[ -]?{_UNIT})"
    r"(?: (?:of|per|an?|each|from|to|in|above|below|under|or|and) .*)?"
)
"""A number with its unit: 40 of 2,975 names that readers typed, 39 of them as amounts."""
_TRUTHS = frozenset({"yes", "no", "true", "false", "none"})
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
    return (
        key in _TRUTHS
        or _AMOUNT.fullmatch(key) is not None
        or (_VALUE.fullmatch(key) is not None and _VALUE_CORE.search(key) is not None)
    )


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


# Terms of a corpus: common nouns that are far more frequent in it than in general English.

_WORDS_OF_MANUALS = words("words_of_manuals")
_UNSEEN = 2e-6  # Added to the share in general English, so that rare words need several occurrences, too.
_HALF = 0.5  # Added to a count, the usual correction, so that the logarithm of zero counts is finite.
_FEWEST = 2  # Fewest uses of a term: a word used once in a one-page corpus is no evidence.
_CONTRAST = 4.0  # Doublings by which a term is used more often than in general English; chosen by reading.


class Terms:
    """Tells which common nouns are terms of a corpus.

    Args:
        counts: Frequency of each word of the corpus in small letters, in any form.
        defined: Singular nouns that a glossary of the corpus explains: terms however rare.
        domain: Words that the user adds or takes away.
    """

    def __init__(self, counts: Iterable[tuple[str, int]], *, defined: Set[str], domain: Domain) -> None:
        self._counts: Counter[str] = Counter()
        for word, count in counts:
            self._counts[singular_noun(word)] += count
        self._total = max(self._counts.total(), 1)
        self._added = defined | set(map(singular_noun, domain.terms))
        self._taken = set(map(singular_noun, domain.no_terms))

    def is_term(self, noun: str) -> bool:
        """Return whether a singular noun is a term; the user's lists come first."""
        if noun in self._taken:
            return False
        if noun in self._added:
            return True
        is_used = self._counts[noun] >= _FEWEST and noun not in _WORDS_OF_MANUALS
        return is_used and self.contrast(noun) >= _CONTRAST

    def contrast(self, noun: str) -> float:
        """Return the binary logarithm of a noun's share in the corpus over its share in English."""
        general: Mapping[str, float] = shares_of_nouns()
        share = (self._counts[noun] + _HALF) / self._total
        return math.log2(share / (general.get(noun, 0.0) + _UNSEEN))
