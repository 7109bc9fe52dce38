"""What a model thinks aloud before it answers."""

from __future__ import annotations

import re

_TAG = "(?:think|thinking|thought|reasoning)"
_WHOLE = re.compile(rf"<({_TAG})>.*?</\1>", re.DOTALL | re.IGNORECASE)
_REST = re.compile(rf"\A.*</{_TAG}>[ \t]*(?:\n|\Z)", re.DOTALL | re.IGNORECASE)
"""Servers put the opening tag into the prompt: then the text begins within it."""
_OPEN = re.compile(rf"\A\s*<{_TAG}>.*", re.DOTALL | re.IGNORECASE)


def without_thoughts(text: str) -> str:
    """Return a text without what is thought in it, also where a tag of it is missing."""
    return _OPEN.sub("", _REST.sub("", _WHOLE.sub("", text)))
