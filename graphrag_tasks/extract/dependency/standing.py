"""Whether a verb tells what is so, what is not so, or what is left open, by the words above it.

"without blocking the thread" denies, "suppose that a server fails" leaves open. A verb that another one denies is no
fact, however well it is parsed.
"""

from __future__ import annotations

from enum import Enum

from graphrag_tasks.extract.dependency.syntax import (
    children,
    conjunction_heads,
    first_child,
    has_to,
    is_verbal,
    subtree,
    surface,
)
from graphrag_tasks.extract.words import words
from graphrag_tasks.language.tokens import Token

LONGEST_CONDITION = 14  # Most words of a condition that is told beside a fact; of longer ones only that there is one.
_SOME_CASES = "in some cases"
_CONDITIONS = frozenset({"if", "unless", "provided", "assuming"})
_SURE = frozenset({"careful", "certain", "sure"})
_IN_PLACE = frozenset({"instead", "rather", "lieu"})
_DENYING_ADJECTIVES = words("denying_adjectives")
_DOUBTING_ADJECTIVES = words("doubting_adjectives")
_PREVENTING_VERBS = words("preventing_verbs")
_KEEPING_VERBS = words("keeping_verbs")
"""Verbs that prevent with "from" alone: "keeps the host from sending", but "keeps sending"."""
_BELIEVING_VERBS = words("believing_verbs")
_SUPPOSING_VERBS = words("supposing_verbs")


class Standing(Enum):
    """What a sentence says of what a verb tells."""

    TOLD = "told"
    DENIED = "denied"
    OPEN = "open"
    BELIEVED = "believed"


def standing_of(verb: Token) -> Standing:
    """Return what the words above a verb say of it; TOLD where they say nothing."""
    clause = _head_of_clause(verb)
    if _is_in_place(clause):
        return Standing.DENIED
    above = clause.head
    if clause.dep_ == "pcomp":
        if above.lower_ == "without":
            return Standing.DENIED
        is_kept_from = above.head.lemma_ in _PREVENTING_VERBS | _KEEPING_VERBS
        return Standing.OPEN if above.lower_ == "from" and is_kept_from else Standing.TOLD
    if clause.dep_ == "advcl" and has_to(clause) and first_child(above, "neg"):
        return Standing.OPEN
    if clause.dep_ in ("ccomp", "csubj"):
        if _is_called(above, _DENYING_ADJECTIVES):
            return Standing.DENIED
        is_wanted = above.lemma_ in _SUPPOSING_VERBS or _is_made_sure(above)
        if is_wanted or _is_called(above, _DOUBTING_ADJECTIVES):
            return Standing.OPEN
        return Standing.BELIEVED if above.lemma_ in _BELIEVING_VERBS else Standing.TOLD
    if clause.dep_ == "xcomp" and clause.tag_ == "VBG" and above.lemma_ in _PREVENTING_VERBS:
        return Standing.OPEN
    return Standing.TOLD


def condition_of(verb: Token) -> str:
    """Return the clause under which a verb's clause holds: "unless the cache is full", or "".

    A clause before the first of coordinated verbs holds for all of them.
    """
    for head in conjunction_heads(verb):
        for clause in children(head, "advcl"):
            is_condition = any(mark.lower_ in _CONDITIONS for mark in children(clause, "mark", "advmod"))
            if is_condition and (head is verb or clause.i < head.i):
                words = subtree(clause)
                span = surface(verb.doc, words) if len(words) <= LONGEST_CONDITION else None
                return span.text if span else _SOME_CASES
    return ""


def _head_of_clause(verb: Token) -> Token:
    """Return the first of the coordinated verbs of a clause: "without reading or writing"."""
    while verb.dep_ == "conj" and is_verbal(verb.head) and not _is_in_place(verb):
        verb = verb.head
    return verb


def _is_in_place(verb: Token) -> bool:
    """Return whether another verb stands in place of this one: "X rather than Y"."""
    start = verb.left_edge.i
    marks = [*children(verb, "mark", "cc"), *children(verb.head, "cc", "mark"), verb.head]
    return any(
        mark.lower_ in ("than", "of") and mark.i > 0 and start <= mark.i + 1 <= verb.i
        and verb.doc[mark.i - 1].lower_ in _IN_PLACE
        for mark in marks
    )  # fmt: skip


def _is_made_sure(above: Token) -> bool:
    """Tell whether somebody is to see that it is so: "make sure that", but "it is certain that"."""
    verb = above.head if above.pos_ == "ADJ" else above
    subject = first_child(verb, "nsubj")
    return _is_called(above, _SURE) and (subject is None or subject.lower_ != "it")


def _is_called(above: Token, adjectives: frozenset[str]) -> bool:
    if above.pos_ == "ADJ":
        return above.lower_ in adjectives
    return any(child.lower_ in adjectives for child in children(above, "acomp", "attr"))
