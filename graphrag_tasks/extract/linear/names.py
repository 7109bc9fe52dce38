"""Find names in a line of text without a parse, and make frames of two names."""

from __future__ import annotations

import re
from enum import StrEnum

from graphrag_tasks.extract.dependency.confidence import load_weights
from graphrag_tasks.extract.frames import Argument, Frame, Role, Span
from graphrag_tasks.extract.words import any_of, words

EXTRACTOR_NAME = "linear"
MAX_WORDS = 8  # Longer runs of words are clauses.

_LEADING = re.compile(
    r"(?:(?:an?|the|this|that|these|those|any|each|all|some|your|our|its|their|existing|either|"
    r"both|the following)\s+)+",
    re.IGNORECASE,
)
_EDGES = " \t.,;:!?\"'“”‘’`*•·–—-"
_END = re.compile(rf"\s{any_of('name_ends')}(?=\s|$)|[,;:()\[\]]|\.(?=\s|$)|\s[–—-]\s")
_JOINT = re.compile(r"\s*(?:,\s*(?:and\s|or\s)?|\s(?:and|or)\s)\s*")
_CLAUSE = re.compile(r"[a-z]+\s(?:the|an?|these|this|your|all|it|them)\s")
"""A verb with its object: a conjunction before it joins clauses, not names."""
_PRONOUNS = words("pronouns")
_WORD = re.compile(r"\w")


class LinearRule(StrEnum):
    """The pattern that found a frame."""

    ALIAS = "alias"  # a name and its short form: "Material Requirements Planning (MRP)"
    LABEL = "label"  # a label and its value: "Service plan: standard"
    LIST_ITEM = "list_item"  # an item and the sentence that leads to its list
    COOKBOOK = "cookbook"  # a command about two things: "Use VBBE instead of VBBS"


CONFIDENCE = {LinearRule.ALIAS: 0.9, LinearRule.COOKBOOK: 0.7, LinearRule.LABEL: 0.6, LinearRule.LIST_ITEM: 0.55}
"""Set by hand; confidences learned by `benchmarks/training/technical.py` take precedence."""


def name_at(text: str, start: int, end: int | None = None) -> Span | None:
    """Return the name that begins at a position, up to a preposition, verb form or comma.

    Leading articles are skipped. None means that there is only a pronoun, or too many words.
    """
    end = len(text) if end is None else end
    start = _name_start(text, start, end)
    if stop := _END.search(text, start, end):
        end = stop.start()
    return name_of(text, start, end)


def name_of(text: str, start: int, end: int) -> Span | None:
    """Return the name between two positions, without surrounding articles and punctuation."""
    while start < end and text[end - 1] in _EDGES:
        end -= 1
    start = _name_start(text, start, end)
    found = text[start:end]
    if not _WORD.search(found) or len(found.split()) > MAX_WORDS:
        return None
    return None if found.casefold() in _PRONOUNS else Span(found, start, end)


def names_at(text: str, start: int, end: int | None = None) -> list[Span]:
    """Return the names of a coordination ("A, B or C") that begins at a position."""
    end = len(text) if end is None else end
    found: list[Span] = []
    while (name := name_at(text, start, end)) is not None:
        found.append(name)
        joint = _JOINT.match(text, name.end, end)
        if joint is None or _CLAUSE.match(text, joint.end()):
            break
        start = joint.end()
    return found


def pair(rule: LinearRule, head: Span, relation: str, tail: Span) -> Frame:
    """Return the frame of two names and their canonical relation."""
    confidence = load_weights().patterns.get(rule.value, CONFIDENCE[rule])
    return Frame(
        predicate=relation, predicate_lemma=relation, start=tail.start, end=tail.end,
        arguments=(_argument(Role.SUBJECT, head, 0), _argument(Role.OBJECT, tail, 1)),
        rule=rule.value, extractor=EXTRACTOR_NAME, confidence=confidence,
    )  # fmt: skip


def _name_start(text: str, start: int, end: int) -> int:
    while start < end and text[start] in _EDGES:
        start += 1
    leading = _LEADING.match(text, start, end)
    return leading.end() if leading else start


def _argument(role: Role, name: Span, slot: int) -> Argument:
    text, start, end = name
    return Argument(
        role=role.value, text=text, start=start, end=end, head_start=start, head_end=end,
        core_text=text, core_start=start, core_end=end, slot=slot,
    )  # fmt: skip
