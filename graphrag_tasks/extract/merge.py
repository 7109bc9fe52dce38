"""Triples of one sentence from several extractors: each fact once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from graphrag_tasks.extract.frames import Rule
from graphrag_tasks.extract.linear.pairs import LinearRule

_ADDRESSEES = frozenset({"you", "we", "i", "us", "me", "yourself"})
"""Writer and reader of a text, who are nobody in its world."""
_EMPTY_NAMES = frozenset(
    {"example", "case", "default", "addition", "general", "particular", "order", "detail"}
    | {"details", "more details", "more information", "information about", "contrast", "turn"}
)
"""Nouns of phrases that only join sentences: "for example", "by default"."""
_EXPLETIVE = re.compile(
    r"\b(it)(?:'s|’s| is)\s(?:(?!an?\s|the\s)\w+\s){0,2}?"
    r"(?:possible|recommended|allowed|necessary|important|required|advisable|worth|enough|"
    r"best|useful|helpful|mandatory|sufficient|better|common|easy|difficult|planned|assumed|advised)\b",
    re.IGNORECASE,
)
"""An "it" that stands for the clause after it."""
_NO_NAMES = _ADDRESSEES | _EMPTY_NAMES

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
        if head in _ADDRESSEES or tail in _NO_NAMES:
            continue
        if head == "it" and row["head_start"] in expletives:
            continue
        key = (head, row["relation"], tail, row["negated"])
        known = best.get(key)
        if known is None or row["confidence"] > known["confidence"]:
            best[key] = row
    rows = list(best.values())
    shorts = [(row["head_end"], row["tail_start"]) for row in rows if row["rule"] == _ALIAS]
    has_command = any(row["rule"] == LinearRule.COOKBOOK for row in rows)
    return [
        row
        for row in rows
        if row["rule"] == _ALIAS
        or not (_restates(row, shorts) or (has_command and row["rule"] == Rule.IMPERATIVE))
    ]


_ALIAS = LinearRule.ALIAS.value


def _restates(row: _Row, shorts: list[tuple[int, int]]) -> bool:
    """Return whether a triple says "is" of a name and the short form that follows it."""
    ends = sorted([(row["head_start"], row["head_end"]), (row["tail_start"], row["tail_end"])])
    return row["relation"] == "be" and (ends[0][1], ends[1][0]) in shorts
