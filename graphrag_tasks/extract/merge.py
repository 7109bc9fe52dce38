"""Triples of one sentence from several extractors: each fact once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from graphrag_tasks.extract.dependency.syntax import ADDRESSEES
from graphrag_tasks.extract.frames import Rule
from graphrag_tasks.extract.linear.pairs import LinearRule

_EMPTY_NAMES = frozenset(
    {"example", "case", "default", "addition", "general", "particular", "order", "detail"}
    | {"details", "more details", "more information", "information about", "contrast", "turn"}
    | {"most cases", "nutshell", "other words", "same time", "some cases", "the same time", "way"}
)
"""Nouns of phrases that only join sentences: "for example", "by default"."""
_NO_NOUNS = frozenset(
    {"above", "below", "e.g", "e.g.", "ect", "etc", "etc.", "following", "here", "i. e.", "i.e."}
    | {"one", "ones", "so on", "that", "the following", "there", "what", "which", "who", "whom"}
)
"""What is taken for a noun by mistake, or points to one."""
_EXPLETIVE = re.compile(
    r"\b(it)(?:'s|’s| is)\s(?:(?!an?\s|the\s)\w+\s){0,2}?"
    r"(?:possible|recommended|allowed|necessary|important|required|advisable|worth|enough|"
    r"best|easier|harder|useful|helpful|mandatory|sufficient|better|common|easy|difficult|planned|assumed|advised)\b",
    re.IGNORECASE,
)
"""An "it" that stands for the clause after it."""
_APPOSITION = Rule.APPOSITION.value
_ITEM = re.compile(r"\s?,\s(?:an?\s|the\s)?")
_LAST_ITEM = re.compile(r"[^.;:]{0,80}?,\s(?:and|or)\b")
_SET_OFF = re.compile(r"[,(\[:;–—-]")
_BROKEN = re.compile(r"\w[)\]]\w(?![^(]*\()|\w:\s")
"""A bracket that was opened elsewhere, or a colon between words: a parse across their bounds."""
_NO_HEADS = ADDRESSEES | _NO_NOUNS
_NO_TAILS = _NO_HEADS | _EMPTY_NAMES

_Row = dict[str, Any]


def merged(triples: Iterable[_Row], text: str) -> list[_Row]:
    """Return the triples of a sentence that relate names, without repetitions, in their order.

    Of several that relate the same names in the same way, the most confident stays. A name and
    its short form are one fact, so what a parse makes of the bracket between them gives way.

    Args:
        triples: Rows of `schemas.TRIPLES` of one sentence.
        text: The sentence.
    """
    expletives = {match.start(1) for match in _EXPLETIVE.finditer(text)}
    best: dict[tuple[object, ...], _Row] = {}
    for row in triples:
        head, tail = row["head"].casefold(), row["tail"].casefold()
        if head in _NO_HEADS or tail in _NO_TAILS:
            continue
        if head == tail or _BROKEN.search(f"{head} {row['relation']} {tail}"):
            continue
        if _is_announced(row, text) or _is_no_apposition(row, text):
            continue
        if head == "it" and row["head_start"] in expletives:
            continue
        key = (head, row["relation"], tail, row["negated"])
        known = best.get(key)
        if known is None or row["confidence"] > known["confidence"]:
            best[key] = row
    rows = list(best.values())
    shorts = [(row["head_end"], row["tail_start"]) for row in rows if row["rule"] == _ALIAS]
    return [row for row in rows if row["rule"] == _ALIAS or not _restates(row, shorts)]


_ALIAS = LinearRule.ALIAS.value


def _is_announced(row: _Row, text: str) -> bool:
    """Return whether a tail is what comes after the sentence: "covers the following topics:"."""
    before = text[: row["tail_start"]].rstrip().casefold()
    return text.rstrip().endswith(":") and before.endswith("following")


def _is_no_apposition(row: _Row, text: str) -> bool:
    """Return whether what a parse takes for another name of something is none.

    It is one in brackets, if it is more than a remark ("(Optional)") or a short form of something
    else, and one set off by a comma, if it has an article. Without one, and before a last item
    with "and", it is the next item of an enumeration.
    """
    if row["rule"] != _APPOSITION:
        return False
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
