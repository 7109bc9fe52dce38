"""Abbreviations: "Material Requirements Planning (MRP)", "MRP (Material ...)"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphrag_tasks.extract.frames import Frame, Span
from graphrag_tasks.extract.linear.names import LinearRule, pair

RELATION = "be known as"

_SHORT = re.compile(r"\(\s*[\"“']?([a-z]{0,2}[A-Z][A-Za-z0-9/&-]{1,9})[\"”']?\s*\)")
_BRACKETED = re.compile(r"(?<![\w(])([A-Z][A-Z0-9]{1,7})s?\s\(([A-Z][\w-]*(?:\s[\w-]+){1,6})\)")
_WORD = re.compile(r"[^\W_]+(?:[./'’][^\W_]+)*")
_SMALL = frozenset({"of", "for", "and", "the", "to", "on", "in", "as", "a", "by", "with"})
_BELONGING = frozenset({"for", "in", "of"})
_LEAST_SPELLED = 0.75  # Least share of an abbreviation's letters that capitalised words have in order. Chosen.
_MAX_WORDS = 7  # Most words before a bracket that an abbreviation may stand for; chosen.


def aliases(text: str) -> Iterator[Frame]:
    """Yield a frame for each abbreviation in brackets and the long name before it.

    The long name is the run of words whose initials spell the abbreviation (Schwartz and Hearst, PSB 2003), including a
    "for" phrase ("Development Tools for Eclipse (DT)"), else the run of capitalised words right before the bracket.
    """
    for match in _SHORT.finditer(text):
        short = match[1]
        if sum(map(str.isupper, short)) < 2:
            continue
        words = _words_before(text, match.start())
        start = _spelled(words, short)
        if start is None and len(words) > 3 and words[-2][0] in _BELONGING:
            start = _spelled(words[:-2], short)
        if start is None:
            start = _capitalised(words, short)
        if start is not None:
            end = words[-1].end()
            long = Span(text[start:end], start, end)
            yield pair(LinearRule.ALIAS, long, RELATION, Span(short, *match.span(1)))
    for match in _BRACKETED.finditer(text):
        words = list(_WORD.finditer(text, *match.span(2)))
        if _spelled(words, match[1]) == match.start(2):
            long, name = (Span(match[group], *match.span(group)) for group in (2, 1))
            yield pair(LinearRule.ALIAS, long, RELATION, name)


def _words_before(text: str, end: int) -> list[re.Match[str]]:
    """Return the last words before a position, separated only by spaces or hyphens."""
    words: list[re.Match[str]] = []
    for word in _WORD.finditer(text, max(0, end - 100), end):
        if words and text[words[-1].end() : word.start()].strip(" -"):
            words = []
        words.append(word)
    if words and text[words[-1].end() : end].strip():
        return []
    return words[-_MAX_WORDS:]


def _spelled(words: list[re.Match[str]], short: str) -> int | None:
    """Return the start of the shortest run of words whose initials spell the abbreviation."""
    letters = short.removesuffix("s").casefold() if short[:-1].isupper() else short.casefold()
    for first in range(len(words) - 1, -1, -1):
        run = [word[0] for word in words[first:]]
        needed = [word[0].casefold() for word in run if word.casefold() not in _SMALL]
        if "".join(word[0].casefold() for word in run) == letters:
            return words[first].start()
        if len(needed) > 1 and "".join(needed) == letters:
            return words[first].start()
    return None


def _capitalised(words: list[re.Match[str]], short: str) -> int | None:
    """Return the start of the final run of two or more capitalised words.

    The abbreviation has the initial of at least one, and they have most of its letters in order: "ABAP Dictionary
    (DDIC)", but not "Government Cloud (US)" and "Simplification Database (SYCM)".
    """
    first = len(words)
    while first and words[first - 1][0][0].isupper():
        first -= 1
    if first < len(words) and words[first][0].casefold() in _SMALL:
        first += 1
    initials = {word[0][0] for word in words[first:]}
    if len(words) - first < 2 or initials.isdisjoint(short):
        return None
    run, place, spelled = "".join(word[0] for word in words[first:]).casefold(), 0, 0
    for letter in short.casefold():
        if (found := run.find(letter, place)) >= 0:
            place, spelled = found + 1, spelled + 1
    return words[first].start() if spelled >= _LEAST_SPELLED * len(short) else None
