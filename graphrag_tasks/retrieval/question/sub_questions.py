"""Parts of a question, which are searched separately.

"Which transaction condenses call data, and what takes unused code out in the end?" asks for two things; as a whole it
is closest to passages that say a little of both. Questions are cut at the ends of sentences, at commas and dashes, and,
in English, before a conjunction that begins a clause. If only one part begins as a question, the others describe its
subject.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

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
