"""Patterns of paths in settings: `*` and `?` stay in a folder, `**` goes through all below it.

A path fits in whatever Unicode form its name is stored: macOS writes `ä` as two characters where a
setting has one. Both are compared in form NFC.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_WILDCARDS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_ESCAPED = "./"  # begins the printable form of a path that is not UTF-8 (see `sources.roots`)


def nfc(text: str) -> str:
    """Return a text in the Unicode form that names are compared in."""
    return unicodedata.normalize("NFC", text)


def folded(text: str) -> str:
    """Return a text without what tells apart case and look-alike forms of its letters."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def fits(path: str, glob: str) -> bool:
    """Return whether the whole of a path fits a pattern."""
    return _pattern(nfc(glob)).fullmatch(nfc(path.removeprefix(_ESCAPED))) is not None


def fits_any(path: str, globs: Iterable[str]) -> bool:
    """Return whether a path fits one of some patterns."""
    return any(fits(path, glob) for glob in globs)


def nearly_fits(path: str, glob: str) -> bool:
    """Return whether a path fits a pattern when case and look-alike letters are ignored."""
    return fits(folded(path), folded(glob))


@lru_cache(maxsize=1024)
def _pattern(glob: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    return re.compile("".join(_WILDCARDS.get(part, re.escape(part)) for part in parts), re.DOTALL)
