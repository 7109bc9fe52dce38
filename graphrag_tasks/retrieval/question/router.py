"""The router: chooses the mode for a question by rules on its words, with a reason.

Four kinds, as in the paper's outlook and in microsoft/graphrag's local and global search: simple (a few passages),
relationship (how things are connected), analytical (the corpus as a whole), list (everything of a kind). A question for
several things, each in its own words, is not a list question.

And the parts of a question, which are searched separately. "Which transaction condenses call data, and what takes
unused code out in the end?" asks for two things; as a whole it is closest to passages that say a little of both.
Questions are cut at the ends of sentences, at commas and dashes, and, in English, before a conjunction that begins a
clause. If only one part begins as a question, the others describe its subject.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from types import MappingProxyType

from graphrag_tasks.language.bm25 import terms

MOST_PARTS = 8  # Parts of a question that are searched.
_LEAST_TERMS = 2  # Terms of lexical search; a part with fewer says too little alone, so it stays with its neighbour.

_ASKING = (
    "what|which|who|whom|where|when|why|how|can|could|does|do|did|is|are|was|were|should|will|would|may|must|has|have"
)
_PREPOSITION = "in|at|by|under|with|for|from|of|on|to|since|until"
_CUT = re.compile(
    r"(?<=[.!?;:])\s+|\s+[-\u2013\u2014]\s+|,\s+"
    rf"|\s+(?:and|but|or)\s+(?=(?:{_ASKING}|the|{_PREPOSITION})\b)"
    r"|\s+(?:if|when)\s+",
    re.IGNORECASE,
)
_ASKS = re.compile(rf"(?:(?:and|but|or|so)\s+)?(?:(?:{_PREPOSITION})\s+)?(?:{_ASKING})\b", re.IGNORECASE)


def question_parts(question: str) -> tuple[str, ...]:
    """Return the parts of a question, in order; none if it has only one.

    A part of fewer than two terms stays with its neighbour.
    """
    found: list[str] = []
    for part in _CUT.split(question):
        if found and min(len(terms(part)), len(terms(found[-1]))) < _LEAST_TERMS:
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return tuple(found[:MOST_PARTS]) if len(found) > 1 else ()


def part_weights(parts: Sequence[str], about: float) -> tuple[float, ...]:
    """Return the weight of each part: 1, or `about` for parts beside the only question."""
    asking = [asks(part) for part in parts]
    return tuple(1.0 if asked or sum(asking) != 1 else about for asked in asking)


def asks(part: str) -> bool:
    """Tell whether a part begins as an English question."""
    return _ASKS.match(part) is not None


def part_name(number: int) -> str:
    """Return the name of a part's list in the ranks of a hit; parts count from 1."""
    return f"part {number}"


MODE_OF: Mapping[str, str] = MappingProxyType(
    {"simple": "ranked", "relationship": "path", "analytical": "global", "list": "list"}
)
"""The mode for each kind of question."""

_MOST_QUOTED = 4  # Matched words that a reason quotes as a whole; longer ones hold the question's names.
_PLURAL = r"(?!this\b|was\b|is\b|has\b|does\b|access\b|process\b|class\b)[a-z]{2,}s"
_IN = r"(?:in|under|through|by|for|of|to|at|on|with|from|via|against)"
_NO_KIND = r"(?!(?:do|does|did|is|are|was|were|a|an)\b)"
_THINGS = rf"(?:of (?:the|my|our) )?(?:{_NO_KIND}[\w/-]+ ){{0,3}}?{_PLURAL}"
_RULES: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (rule["kind"], rule["reason"], re.compile("|".join(rule["patterns"]), re.IGNORECASE))
    for rule in json.loads((resources.files(__package__) / "router.json").read_text("utf-8"))
)
"""Kind, reason and pattern; the first pattern that matches counts."""

_EVERYTHING: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:^\W*|[,:;] |- )(?:and )?(?:{_IN} )?(?:which|what) {_THINGS} (?:\w+ ){{0,2}}?"
        r"(?:are|were|have|had|can|could|must|may|might|should|shall|need|exist|belong|arrive|support"
        r"|used?|does|do|did|will|would|[a-z]+ed)\b",
        rf"^\W*(?:which|what) {_THINGS} (?:\w+ ){{0,8}}?(?:are|were|have|can|must|replaced)\b",
        rf"(?:^\W*|[,:;] |- ){_IN} (?:which|what) {_THINGS}\b",
        rf"\bwhat are (?:the|my|our|its|all) {_THINGS}\b",
        rf"\b(?:all|every one of) (?:the |of the )?(?:[\w-]+ )?{_PLURAL}\b",
        r"\bwhich (?:ones|steps)\b|\bwhat is there\b|\band what else\b",
    )
)
"""Questions for everything of a kind: "which tables were …", "in which regions"."""

_NAMED = re.compile(
    rf"^\W*(?!the\b)(?:{_NO_KIND}(?!{_IN}\b)[\w/-]+ ){{0,3}}?{_PLURAL}"
    rf" (?:{_IN}|around|between|that|one|i|we)\b",
    re.IGNORECASE,
)
"""The same without a question word: "ways to get a test double", "regions one can pick"."""


@dataclass(frozen=True)
class Route:
    """The mode chosen for a question of one of the kinds in `MODE_OF`, and the reasons."""

    kind: str
    mode: str
    reasons: tuple[str, ...]
    milliseconds: float = field(compare=False)


def route(question: str) -> Route:
    """Return the mode for a question; by default its kind is simple."""
    started = time.perf_counter()
    kind, reason = _decide(" ".join(question.split()))
    spent = (time.perf_counter() - started) * 1000
    return Route(kind, MODE_OF[kind], (reason,), spent)


def _decide(question: str) -> tuple[str, str]:
    for kind, reason, pattern in _RULES:
        if found := pattern.search(question):
            return kind, f"{reason}: “{_shortened(found[0])}”"
    if everything := _everything(question):
        return "list", f"asks for everything of a kind: “{everything}”"
    return "simple", "no rule for another kind matched"


def _shortened(words: str) -> str:
    """Return matched words without what stands between them."""
    told = words.split()
    return " ".join(told) if len(told) <= _MOST_QUOTED else f"{told[0]} {told[1]} … {told[-1]}"


def _everything(question: str) -> str:
    """Return the words that ask for everything of a kind, unless several things are asked for."""
    asking = [part for part in question_parts(question) or (question,) if asks(part)]
    if len(asking) > 1:
        return ""
    text = asking[0] if asking else question
    patterns = _EVERYTHING if asking else (*_EVERYTHING, _NAMED)
    return next((found[0].strip(" ,:;-") for pattern in patterns if (found := pattern.search(text))), "")
