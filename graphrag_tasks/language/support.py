"""Check a sentence against its source by words, numbers, names and negation.

This finds additions to a source, not reversals: "A replaced B" passes as "B replaced A".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.language.bm25.tokens import STOP_WORDS, fold, is_code_name, words

LEAST_SHARE = 0.6
"""Least share of a sentence's words that its source must contain; chosen by reading, and measured by
`benchmarks/answer_checks.py`."""

_NUMBER_WORDS = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_NUMBERS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS.split(), 2)}
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")

_NO_WORDS = "not no never none nothing nobody neither nor without cannot lack lacks lacking unable"
_NO = frozenset(_NO_WORDS.split())
_NOT_ENDING = re.compile(r"n['’]t$", re.IGNORECASE)
_ONLY = frozenset(("only", "just", "necessarily"))
_REACH = 5  # Words after "not" in its scope; chosen by reading.
_STEP = re.compile(r"[\w./_\-:~+&#'’]*\w|[,;:.!?()]")
_SQUEEZED = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Source:
    """The source of a sentence.

    Attributes:
        text: The cited sentences of documents.
        near: Their neighbours, with title and headings.
        question: The question; its names may be repeated, its numbers need a source.
    """

    text: str
    near: str = ""
    question: str = ""

    @cached_property
    def terms(self) -> frozenset[str]:
        """Terms that the sentence may use."""
        return frozenset(terms(f"{self.text}\n{self.near}\n{self.question}"))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Numbers of the documents."""
        return frozenset(_numbers(f"{self.text}\n{self.near}"))

    @cached_property
    def squeezed(self) -> str:
        """All text in lower case without punctuation, for comparing names."""
        return _squeezed(f"{self.text}\n{self.near}\n{self.question}")


def share(sentence: str, source: Source) -> float:
    """Return the share of a sentence's words that its source contains, from 0 to 1."""
    said = frozenset(terms(sentence))
    return len(said & source.terms) / len(said) if said else 1.0


def problem(sentence: str, source: Source) -> str | None:
    """Return in words what a sentence adds to its source, or None."""
    for number in _numbers(sentence):
        if number not in source.numbers:
            return f"the number {number} is not in its source"
    for name in _names(sentence):
        if not _holds(source, name):
            return f"the name {name} is not in its source"
    if share(sentence, source) < LEAST_SHARE:
        return "its source does not say this"
    if swapped := _of_another(sentence, source):
        return swapped
    return _denial(sentence, source)


def _of_another(sentence: str, source: Source) -> str | None:
    """Return a problem if a number belongs to another name in the source."""
    rows = f"{source.text}\n{source.near}".splitlines()
    names = {row: set(_names(row)) for row in rows}
    said = list(words(sentence))
    places = [place for place, word in enumerate(said) if any(word in one for one in names.values())]
    for place, word in enumerate(said):
        number = next(_numbers(word), None)
        if number is None or not places:
            continue
        name = said[min(places, key=lambda other: (abs(other - place), other))]
        of_number = [row for row in rows if number in _numbers(row)]
        of_name = [row for row in rows if name in names[row]]
        is_apart = not any(row in of_name or not names[row] - set(said) for row in of_number)
        if of_number and is_apart and any(any(_numbers(row)) for row in of_name):
            return f"the number {number} is not that of {name} in its source"
    return None


def _numbers(text: str) -> Iterator[str]:
    """Yield standalone numbers, in digits or words."""
    for word in words(text):
        if word.lower() in _NUMBERS:
            yield _NUMBERS[word.lower()]
        elif not any(map(str.isalpha, word)):
            for found in _NUMBER.findall(word):
                yield found.replace(",", "") if _THOUSANDS.fullmatch(found) else found


def _names(sentence: str) -> Iterator[str]:
    """Yield words written as names; a capital at the sentence start does not count."""
    for place, word in enumerate(words(sentence)):
        if not any(map(str.isalpha, word)):
            continue
        is_capital = word[0].isupper() and (place > 0 or (len(word) > 1 and word.isupper()))
        if is_code_name(word) or (is_capital and fold(word) not in STOP_WORDS):
            yield word


def _holds(source: Source, name: str) -> bool:
    if set(terms(name)) <= source.terms:
        return True
    return is_code_name(name) and _squeezed(name) in source.squeezed


def _squeezed(text: str) -> str:
    return _SQUEEZED.sub("", text).casefold()


def _denial(sentence: str, source: Source) -> str | None:
    """Return a problem if only one of sentence and source is negated."""
    said, given = _denied(sentence), _denied(source.text)
    near = given + _denied(source.near)
    for scope in said:
        if not any(_is_same(scope, other) for other in near):
            return "its source does not deny this"
    held = frozenset(terms(sentence))
    for scope in given:
        if len(scope & held) > len(scope) / 2 and not any(_is_same(scope, other) for other in said):
            return "its source denies this"
    return None


def _is_same(scope: frozenset[str], other: frozenset[str]) -> bool:
    return len(scope & other) >= min(len(scope), len(other)) / 2


def _denied(text: str) -> list[frozenset[str]]:
    """Return the terms in the scope of each negation."""
    steps = _STEP.findall(text)
    found = []
    for place, word in enumerate(steps):
        if not (word.lower() in _NO or _NOT_ENDING.search(word)):
            continue
        after = steps[place + 1 :]
        if after and after[0].lower() in _ONLY:
            continue
        if place and steps[place - 1].lower() == "or":  # whether or not
            continue
        scope: list[str] = []
        for other in after:
            if other in ",;:.!?()" or len(scope) >= _REACH:
                break
            scope += terms(other)
        found.append(frozenset(scope[:_REACH]))
    return found
