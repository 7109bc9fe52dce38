"""Marks of DocFX in a line: includes that were not found, references by uid, tabs, media."""

from __future__ import annotations

import re
from urllib.parse import unquote

from graphrag_tasks.parse.dialects.page import Page
from graphrag_tasks.parse.left_out import LeftOut

_INCLUDE = re.compile(
    r"\[!(?:INCLUDE|code(?:-[\w#+-]+)?)\s*\[[^\[\]\n]{0,300}\]\s*\([^()\n]{0,600}\)\s*\]",
    re.IGNORECASE,
)
_MEDIA = re.compile(r"\[!(?:VIDEO|NOTEBOOK|IMAGE)\b[^\[\]\n]{0,600}\]", re.IGNORECASE)
_LABEL = re.compile(r"\[!(?:UICONTROL|DNL|BADGE|PRODUCT|TERM)[ \t]+([^\]\n]+)\]")
_TAB = re.compile(r"^#{1,6}[ \t]+\[([^\]\n]+)\]\(#tab/[^)\n]*\)[ \t]*$", re.MULTILINE)
_XREF = re.compile(r"<xref:([^<>\s?#]{1,300})[^<>\s]{0,300}>")
_AT = re.compile(r"(?<![\w.@/`])@(?:\"([^\"\n]+)\"|([A-Z]\w*(?:\.[A-Z]\w*)+))")


def take_docfx(text: str, page: Page) -> str:
    """Leave the text of DocFX's marks: labels, names of tabs, and the names behind uids."""
    text = _INCLUDE.sub(lambda _: page.drop(LeftOut.INCLUDE), text)
    text = _MEDIA.sub(lambda _: page.drop(), text)
    text = _TAB.sub(r"**\1**", _LABEL.sub(r"\1", text))
    text = _XREF.sub(lambda found: unquote(found[1]).rstrip("*"), text)
    return _AT.sub(lambda found: found[1] or found[2], text)
