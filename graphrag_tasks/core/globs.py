"""Patterns of paths in settings: `*` and `?` stay in a folder, `**` goes through all below it."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WILDCARDS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def path_pattern(glob: str) -> re.Pattern[str]:
    """Return a pattern that the whole of a path has to fit."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    return re.compile("".join(_WILDCARDS.get(part, re.escape(part)) for part in parts), re.DOTALL)


def fits_any(path: str, globs: Iterable[str]) -> bool:
    """Return whether a path fits one of some patterns."""
    return any(path_pattern(glob).fullmatch(path) for glob in globs)
