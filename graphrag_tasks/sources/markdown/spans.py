"""Inline markup: alerts, DocFX references, attributes, icons, keys, highlights, snippets.

kramdown and Python-Markdown have `{: .class}` and `{ #id .class }`, Docusaurus, Hugo and GitBook `## Heading {#id}`;
Material has `:material-check:`, `++ctrl+c++` and `==marked==`; Obsidian has `[[Page|label]]`, `%%comments%%` and ids of
blocks (`text ^id`), Pandoc `10^6^`, definitions (`: text`) and, as GitHub, notes (`[^1]`).
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.sources.markdown.page import Page

_MOST_TITLE_WORDS = 8  # Most words of a title after an alert mark; a longer rest of the line is text. Chosen.
_GITHUB = "(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)"
_ALERT = re.compile(
    r"^(?P<quote>[ \t]*(?:(?:[-*+]|[0-9]+[.)])[ \t]+)?(?:>[ \t]?)+)[ \t]*"
    rf"\[!(?!{_GITHUB}\][ \t]*$)[A-Z][\w-]*(?:[ \t]+[\w-]+[ \t]*=[^\]\n]*)?\]"
    r"[+-]?(?P<rest>[^\n]*)$",
    re.MULTILINE | re.IGNORECASE,
)
"""Alerts except GitHub's own, whose kind marko makes a paragraph."""
_BARE_ALERT = re.compile(rf"^[ \t]*\[!{_GITHUB}\][ \t]*$", re.MULTILINE | re.IGNORECASE)

_INCLUDE = re.compile(
    r"\[!(?:INCLUDE|code(?:-[\w#+-]+)?)\s*\[[^\[\]\n]{0,300}\]\s*\([^()\n]{0,600}\)\s*\]", re.IGNORECASE
)
_MEDIA = re.compile(r"\[!(?:VIDEO|NOTEBOOK|IMAGE)\b[^\[\]\n]{0,600}\]", re.IGNORECASE)
_LABEL = re.compile(r"\[!(?:UICONTROL|DNL|BADGE|PRODUCT|TERM)[ \t]+([^\]\n]+)\]")
_TAB = re.compile(r"^#{1,6}[ \t]+\[([^\]\n]+)\]\(#tab/[^)\n]*\)[ \t]*$", re.MULTILINE)
_XREF = re.compile(r"<xref:([^<>\s?#]{1,300})[^<>\s]{0,300}>")
_AT = re.compile(r"(?<![\w.@/`])@(?:\"([^\"\n]+)\"|([A-Z]\w*(?:\.[A-Z]\w*)+))")

_HEADING_ID = re.compile(r"^(#{1,6}[ \t][^\n]*?)[ \t]*\{:?[ \t]*#([\w:.-]+)[^{}\n]*\}[ \t]*$", re.MULTILINE)
_LIST_OF_HEADINGS = re.compile(
    r"^(?:[*+-]|1\.)[ \t][^\n]*\n\{:[ \t]*toc[^}\n]*\}[ \t]*$"
    r"|^[ \t]*(?:\[TOC\]|\[\[(?:_TOC_|toc)\]\])[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_ONE = r"(?:[.#][A-Za-z_][\w-]*|[\w-]+=(?:\"[^\"\n]*\"|\w+))"
_ATTRIBUTES = re.compile(
    r"[ \t]?\{:[ \t]*[^{}\n]{0,300}\}"
    rf"|(?:(?<=[)\]*_>\ufdd1])[ \t]?|(?m:^)[ \t]*)\{{[ \t]*{_ONE}(?:[ \t]+{_ONE})*[ \t]*\}}"
    r"|[ \t]\{[ \t]*(?:[.#][A-Za-z_][\w-]*[ \t]*)+\}(?m:$)"
)
_SNIPPET = re.compile(
    r"^[ \t]*-+8<-+[ \t]*\n(?:[^\n]*\n){1,50}?[ \t]*-+8<-+[ \t]*$|-+8<-+[ \t]+[\"'][^\"'\n]+[\"']", re.MULTILINE
)
"""Snippets left over because their file was not found (`graphrag_tasks.sources.markdown.includes`)."""
_ICON = re.compile(r":(?:material|octicons|fontawesome|simple)-[a-z0-9-]+:")
_KEYS = re.compile(r"(?<![\w+])\+\+([A-Za-z0-9\"-]+(?:\+[A-Za-z0-9\"-]+)*)\+\+(?![\w+])")
_MARKED = re.compile(r"(?<![=\w])==(?=[^\s=])([^=\n]{1,500}?)(?<=\S)==(?![=\w])")
_ABBREVIATION = re.compile(r"^\*\[([^\]\n]+)\]:[ \t]+(\S[^\n]*)$", re.MULTILINE)

_NOTE = re.compile(r"^ {0,3}\[\^([^\]\n]{1,100})\]:[ \t]*([^\n]*(?:\n(?:[ \t]*\n)?(?: {4}|\t)[^\n]*)*)", re.MULTILINE)
_NOTE_MARK = re.compile(r"\[\^([^\]\n]{1,100})\]")
_INDENT = re.compile(r"^(?: {4}|\t)", re.MULTILINE)
_WIKI_LINK = re.compile(r"(!?)\[\[([^\[\]\n|<>]{1,300})(?:\|([^\[\]\n]{1,300}))?\]\](?![(\[])")
_REMARK = re.compile(r"(?<![^\s(>*_])%%(?!\w+\n)((?:[^%]|%(?!%))*)%%(?!\w)")
_BLOCK_ID = re.compile(r"(?:^|(?<=\S)[ \t]+)\^((?=[\d-]*[A-Za-z])[\w-]{2,})[ \t]*$", re.MULTILINE)
_RAISED = re.compile(r"(?<=\w)\^([^\s^]{1,20})\^(?!\^)")
_DEFINITION = re.compile(r"^ {0,3}:[ \t]{1,4}(?=\S)", re.MULTILINE)


def take_comments(text: str, page: Page) -> str:
    """Remove comments of Obsidian."""
    return _REMARK.sub(lambda _: page.drop(LeftOut.COMMENT), text)


def take_alerts(text: str, _: Page) -> str:
    """Remove alert marks, `> [!NOTE]`; a title after the mark becomes a paragraph."""
    return _BARE_ALERT.sub("", _ALERT.sub(_without_mark, text))


def _without_mark(found: re.Match[str]) -> str:
    quote, rest = found["quote"], found["rest"].strip()
    if not rest or rest[-1] in ".:!?" or len(rest.split()) > _MOST_TITLE_WORDS:
        return f"{quote}{rest}"
    return f"{quote}**{rest}**\n{'>'.rjust(quote.index('>') + 1)}"


def take_docfx(text: str, page: Page) -> str:
    """Replace DocFX markup by its text: labels, tab names, and the names behind uids."""
    text = _INCLUDE.sub(lambda _: page.drop(LeftOut.INCLUDE), text)
    text = _MEDIA.sub(lambda _: page.drop(), text)
    text = _TAB.sub(r"**\1**", _LABEL.sub(r"\1", text))
    text = _XREF.sub(lambda found: unquote(found[1]).rstrip("*"), text)
    return _AT.sub(lambda found: found[1] or found[2], text)


def take_spans(text: str, page: Page) -> str:
    """Remove other inline markup; notes and definitions of abbreviations become paragraphs."""
    text = _without_note_marks(_LIST_OF_HEADINGS.sub("", text))
    text = _BLOCK_ID.sub("", text)
    text = _WIKI_LINK.sub(lambda found: _wiki_link(found, page), text)
    text = _DEFINITION.sub("\n", _RAISED.sub(r"<sup>\1</sup>", text))
    text = _HEADING_ID.sub(r"\1", text)
    text = _ATTRIBUTES.sub("", text)
    text = _SNIPPET.sub(lambda _: page.drop(LeftOut.INCLUDE), text)
    text = _ICON.sub(lambda _: page.drop(), text)
    text = _KEYS.sub(lambda found: "+".join(map(_key, found[1].split("+"))), text)
    text = _ABBREVIATION.sub(r"\n\2 (\1)\n", text)
    return _MARKED.sub(r"\1", text)


def _without_note_marks(text: str) -> str:
    names: set[str] = set()

    def paragraphs(found: re.Match[str]) -> str:
        names.add(found[1])
        return f"\n{_INDENT.sub('', found[2])}\n\n"

    text = _NOTE.sub(paragraphs, text)
    return _NOTE_MARK.sub(lambda found: "" if found[1] in names else found[0], text)


def _wiki_link(found: re.Match[str], page: Page) -> str:
    embeds, target, label = found.groups()
    label = label or target.partition("#^")[0]
    return page.drop(LeftOut.INCLUDE) if embeds else f"[{label}](<{target}>)"


def _key(name: str) -> str:
    return name.strip('"').replace("-", " ").title()
