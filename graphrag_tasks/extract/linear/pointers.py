"""Sentences that state no fact, however they parse: pointers, navigation and questions."""

from __future__ import annotations

import re

_POINTER = re.compile(
    r"(?:for (?:more|further|additional|detailed|an? (?:overview|example)|details)\b.*"
    r"\b(?:see|refer|visit|check|find|consult|read|go to|have a look|in|on)\b|"
    r"(?:see|refer to|visit|check out|have a look at|find more|learn more|read more|click)\b|"
    r"(?:if|when) you (?:need|want|are interested).*\b(?:see|refer|consult|visit|check)\b|"
    r"(?:next|previous)\s?:|to learn more\b|more (?:information|details)\b)",
    re.IGNORECASE,
)


def states_no_fact(text: str) -> bool:
    """Return whether a sentence only points elsewhere, or asks."""
    return text.endswith("?") or _POINTER.match(text.lstrip()) is not None
