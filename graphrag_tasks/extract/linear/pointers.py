"""Recognize sentences without facts: references, questions, steps on a screen."""

from __future__ import annotations

import re

from graphrag_tasks.extract.words import any_of

_POINTER = re.compile(any_of("pointers"), re.IGNORECASE)
_SCREEN_STEP = re.compile(
    r"(?:(?:then|now|next|first|finally|optional|in the [^,]{1,60}|on the [^,]{1,60}|"
    r"(?:if|after|before|once|when|from) [^,]{1,80}|to [^,]{1,60})[,:]\s(?:then )?)?"
    r"(?:choose|click|press|select|enter|tick|scroll|expand|go to|navigate|log on|log in|open|"
    r"right-click|double-click)\s"
    r"(?!(?:the|an?|your|this|these|all)\s(?!.{0,60}\b(?:button|icon|link|tab|tile)\b))"
    r"(?!.*\b(?:instead of|rather than)\b)(?!(?-i:(?:[A-Z]\S*\s){1,3}(?:is|are|can|[a-z]{3,}s)\s))",
    re.IGNORECASE,
)
"""A command to operate a control: "Choose Save", "click the icon".

Not "Select your system in the list" and "Open SQL reads tables".
"""
_POINTER_HEADING = re.compile(rf"\W*{any_of('pointer_headings')}\W*", re.IGNORECASE)
"""Headings of sections that refer to other pages."""
_WHAT_IS_NEXT = re.compile(r"\W*(?:next|what|where)\b", re.IGNORECASE)


def leads_elsewhere(heading: str) -> bool:
    """Tell whether a heading, or the line before a list, announces links."""
    return _POINTER_HEADING.fullmatch(heading) is not None


def tells_what_is_next(heading: str) -> bool:
    """Tell whether a heading such as "Next steps" may introduce steps as well as links."""
    return _WHAT_IS_NEXT.match(heading) is not None


def states_no_fact(text: str) -> bool:
    """Tell whether a sentence only refers elsewhere, asks, or says where to click."""
    text = text.lstrip()
    return text.endswith("?") or bool(_POINTER.match(text) or _SCREEN_STEP.match(text))
