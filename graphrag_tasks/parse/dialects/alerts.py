"""Alerts: block quotes whose first line is a mark, `> [!NOTE]` (GitHub, DocFX, Obsidian)."""

from __future__ import annotations

import re

from graphrag_tasks.parse.dialects.page import Page

_MOST_WORDS = 8
_GITHUB = "(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)"
_ALERT = re.compile(
    r"^(?P<quote>[ \t]*(?:(?:[-*+]|[0-9]+[.)])[ \t]+)?(?:>[ \t]?)+)[ \t]*"
    rf"\[!(?!{_GITHUB}\][ \t]*$)[A-Z][\w-]*(?:[ \t]+[\w-]+[ \t]*=[^\]\n]*)?\]"
    r"[+-]?(?P<rest>[^\n]*)$",
    re.MULTILINE | re.IGNORECASE,
)
"""Alerts but those of GitHub itself, whose kind marko makes a paragraph."""
_BARE = re.compile(rf"^[ \t]*\[!{_GITHUB}\][ \t]*$", re.MULTILINE | re.IGNORECASE)


def take_alerts(text: str, _: Page) -> str:
    """Remove the marks of alerts; a title behind one is a paragraph of its own."""
    return _BARE.sub("", _ALERT.sub(_without_mark, text))


def _without_mark(found: re.Match[str]) -> str:
    quote, rest = found["quote"], found["rest"].strip()
    if not rest or rest[-1] in ".:!?" or len(rest.split()) > _MOST_WORDS:
        return f"{quote}{rest}"
    return f"{quote}**{rest}**\n{'>'.rjust(quote.index('>') + 1)}"
