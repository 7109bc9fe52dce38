"""Headings without what is no part of a name."""

from __future__ import annotations

import re

_NUMBERING = re.compile(r"^(?:\d+(?:\.\d+)*[.)]?|[A-Z]\.|(?:step|chapter|section)\s+\d+[.:]?)\s+(?=\S)", re.IGNORECASE)
_ORNAMENT = re.compile(r"^[^\w(\[/<\"'“‘]+")


def plain_heading(surface: str) -> str:
    """Return a heading without numbering and leading ornaments."""
    return _NUMBERING.sub("", _ORNAMENT.sub("", surface.strip()))
