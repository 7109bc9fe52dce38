"""The parts of a question: what it asks for one after the other, each to be asked by itself.

"Which transaction condenses call data, and what takes unused code out in the end?" asks for two
things, which two passages say. As a whole it is closest to passages that say a little of both.
Parts are cut at the ends of sentences, at commas and dashes, and before a conjunction that begins a
clause, by the words of English; questions in other languages are cut at their signs alone. Where
one part alone begins as a question, the others say what it is about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphrag_tasks.language.bm25 import terms

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

    What has fewer than two terms is left with the part beside it.
    """
    found: list[str] = []
    for part in _CUT.split(question):
        if found and (_is_short(part) or _is_short(found[-1])):
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return tuple(found[:MOST_PARTS]) if len(found) > 1 else ()


def part_weights(parts: Sequence[str], about: float) -> tuple[float, ...]:
    """Return how much the parts of a question count: 1, or less for what it is only about.

    Args:
        parts: Of `question_parts`.
        about: Weight of the parts beside the only one that asks.
    """
    asking = [asks(part) for part in parts]
    return tuple(1.0 if asked or sum(asking) != 1 else about for asked in asking)


def asks(part: str) -> bool:
    """Tell whether a part of a question begins as one, by the words of English."""
    return _ASKS.match(part) is not None


def part_name(number: int) -> str:
    """Return what the list of a part is called in the ranks of a hit, the first part being 1."""
    return f"part {number}"


def _is_short(part: str) -> bool:
    return len(terms(part)) < _LEAST_TERMS
