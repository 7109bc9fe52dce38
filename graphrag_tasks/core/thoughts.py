"""Remove a model's reasoning text before its answer."""

from __future__ import annotations

import re

_TAG = "(?:think|thinking|thought|reasoning)"
_WHOLE = re.compile(rf"<({_TAG})>.*?</\1>", re.DOTALL | re.IGNORECASE)
_REST = re.compile(rf"\A.*</{_TAG}>[ \t]*(?:\n|\Z)", re.DOTALL | re.IGNORECASE)
"""Servers may put the opening tag into the prompt: then the text begins inside the reasoning."""
_OPEN = re.compile(rf"\A\s*<{_TAG}>.*", re.DOTALL | re.IGNORECASE)


def without_thoughts(text: str) -> str:
    """Return a text without reasoning sections, even if a tag is missing."""
    return _OPEN.sub("", _REST.sub("", _WHOLE.sub("", text)))
