"""The parts of a question: what it asks for one after the other, each to be asked by itself.

"Which transaction condenses call data, and what takes unused code out in the end?" asks for two
things, which two passages say. As a whole it is closest to passages that say a little of both.
Parts are cut at the ends of sentences, at commas and dashes, and before a conjunction that begins a
clause, by the words of English; questions in other languages are cut at their signs alone. Where
one part alone begins as a question, the others say what it is about, and are not asked.
"""

from __future__ import annotations

import re

from graphrag_tasks.lexical import terms

MOST_PARTS = 8
"""Parts of a question that are asked by themselves: a pasted page has more."""

_LEAST_TERMS = 2

_ASKING = (
    "what|which|who|whom|where|when|why|how|can|could|does|do|did|is|are|was|were|should|will|would"
    "|may|must|has|have"
)
_PREPOSITION = "in|at|by|under|with|for|from|of|on|to|since|until"
_CUT = re.compile(
    r"(?<=[.!?;:])\s+|\s+[-\u2013\u2014]\s+|,\s+"
    rf"|\s+(?:and|but|or)\s+(?=(?:{_ASKING}|the|{_PREPOSITION})\b)"
    r"|\s+(?:if|when)\s+",
    re.IGNORECASE,
)
_ASKS = re.compile(
    rf"(?:(?:and|but|or|so)\s+)?(?:(?:{_PREPOSITION})\s+)?(?:{_ASKING})\b", re.IGNORECASE
)


def question_parts(question: str) -> tuple[str, ...]:
    """Return the parts of a question, in its order; none where there is nothing to cut.

    What has fewer than two terms is left with the part beside it. If a single part asks, only that
    one is returned.

    Args:
        question: Any text.
    """
    found: list[str] = []
    for part in _CUT.split(question):
        if found and (_is_short(part) or _is_short(found[-1])):
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    if len(found) < 2:
        return ()
    asking = [part for part in found if asks(part)]
    return tuple(asking if len(asking) == 1 else found[:MOST_PARTS])


def asks(part: str) -> bool:
    """Tell whether a part of a question begins as one, by the words of English."""
    return _ASKS.match(part) is not None


def part_name(number: int) -> str:
    """Return what the list of a part is called in the ranks of a hit, the first part being 1."""
    return f"part {number}"


def _is_short(part: str) -> bool:
    return len(terms(part)) < _LEAST_TERMS
