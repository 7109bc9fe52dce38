"""Triples of one sentence from several extractors: each fact once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from graphrag_tasks.extract.dependency.syntax import ADDRESSEES
from graphrag_tasks.extract.frames import Rule
from graphrag_tasks.extract.linear.names import LinearRule
from graphrag_tasks.extract.words import any_of, words

_EMPTY_NAMES = words("empty_names")
"""Nouns of phrases that only join sentences: "for example", "by default"."""
_NO_HEADS = ADDRESSEES | words("no_nouns")
"""What is taken for a noun by mistake, or points to one."""
_NO_TAILS = _NO_HEADS | _EMPTY_NAMES
_EXPLETIVE = re.compile(
    r"\b(it)(?:'s|’s| is)\s(?:(?!an?\s|the\s)\w+\s){0,2}?"
    rf"{any_of('clause_adjectives')}\b",
    re.IGNORECASE,
)
"""An "it" that stands for the clause after it."""
_ITEM = re.compile(r"\s?,\s(?:an?\s|the\s)?")
_LAST_ITEM = re.compile(r"[^.;:]{0,80}?,\s(?:and|or)\b")
_SET_OFF = re.compile(r"[,(\[:;–—-]")
_BROKEN = re.compile(r"\w[)\]]\w(?![^(]*\()|\w:\s")
"""A bracket that was opened elsewhere, or a colon between words: a parse across their bounds."""

_Row = dict[str, Any]


def merged(triples: Iterable[_Row], text: str) -> list[_Row]:
    """Return the triples of a sentence that relate names, without repetitions, in their order.

    Of several that relate the same names in the same way, the most confident stays. A name and
    its short form are one fact, so what a parse makes of the bracket between them gives way.
    """
    expletives = {match.start(1) for match in _EXPLETIVE.finditer(text)}
    best: dict[tuple[object, ...], _Row] = {}
    for row in triples:
        head, tail = row["head"].casefold(), row["tail"].casefold()
        if head in _NO_HEADS or tail in _NO_TAILS:
            continue
        if head == tail or _BROKEN.search(f"{head} {row['relation']} {tail}"):
            continue
        if head == "it" and row["head_start"] in expletives:
            continue
        if _is_announced(row, text):
            continue
        if row["rule"] == Rule.APPOSITION and _is_no_apposition(row, text):
            continue
        key = (head, row["relation"], tail, row["negated"])
        known = best.get(key)
        if known is None or row["confidence"] > known["confidence"]:
            best[key] = row
    rows = list(best.values())
    shorts = [
        (row["head_end"], row["tail_start"]) for row in rows if row["rule"] == LinearRule.ALIAS
    ]
    return [row for row in rows if row["rule"] == LinearRule.ALIAS or not _restates(row, shorts)]


def _is_announced(row: _Row, text: str) -> bool:
    """Return whether a tail is what comes after the sentence: "covers the following topics:"."""
    before = text[: row["tail_start"]].rstrip().casefold()
    return text.rstrip().endswith(":") and before.endswith("following")


def _is_no_apposition(row: _Row, text: str) -> bool:
    """Return whether an apposition is no other name of what it stands behind.

    In brackets it may be a remark ("(Optional)") or a short form of something else. Behind a comma
    it is the next item of an enumeration, if it has no article or a last item with "and" follows.
    """
    between, tail = text[row["head_end"] : row["tail_start"]], row["tail"]
    after = text[row["tail_end"] :]
    if between.endswith("("):
        is_word = tail.isalpha() and (tail[1:].islower() or tail.isupper())
        return after.startswith(")") and is_word and not tail.islower()
    if _ITEM.fullmatch(between):
        return between.strip() == "," or _LAST_ITEM.match(after) is not None
    return not _SET_OFF.search(between)


def _restates(row: _Row, shorts: list[tuple[int, int]]) -> bool:
    """Return whether a triple says "is" of a name and the short form that follows it."""
    ends = sorted([(row["head_start"], row["head_end"]), (row["tail_start"], row["tail_end"])])
    return row["relation"] == "be" and (ends[0][1], ends[1][0]) in shorts
