"""Marks in a line: lists of attributes, icons, keys, highlights, abbreviations, snippets.

A snippet, `--8<-- "name.md"`, that is still there was not found
(`graphrag_tasks.sources.includes`).

kramdown and Python-Markdown have `{: .class}` and `{ #id .class }`, Docusaurus, Hugo and GitBook
`## Heading {#id}`; Material has `:material-check:`, `++ctrl+c++` and `==marked==`.
"""

from __future__ import annotations

import re

from graphrag_tasks.parse.dialects.page import Page
from graphrag_tasks.parse.left_out import LeftOut

_HEADING_ID = re.compile(
    r"^(#{1,6}[ \t][^\n]*?)[ \t]*\{:?[ \t]*#([\w:.-]+)[^{}\n]*\}[ \t]*$", re.MULTILINE
)
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
    r"^[ \t]*-+8<-+[ \t]*\n(?:[^\n]*\n){1,50}?[ \t]*-+8<-+[ \t]*$|-+8<-+[ \t]+[\"'][^\"'\n]+[\"']",
    re.MULTILINE,
)
_ICON = re.compile(r":(?:material|octicons|fontawesome|simple)-[a-z0-9-]+:")
_KEYS = re.compile(r"(?<![\w+])\+\+([A-Za-z0-9\"-]+(?:\+[A-Za-z0-9\"-]+)*)\+\+(?![\w+])")
_MARKED = re.compile(r"(?<![=\w])==(?=[^\s=])([^=\n]{1,500}?)(?<=\S)==(?![=\w])")
_ABBREVIATION = re.compile(r"^\*\[([^\]\n]+)\]:[ \t]+(\S[^\n]*)$", re.MULTILINE)


def take_spans(text: str, page: Page) -> str:
    """Remove marks in lines; what an abbreviation stands for becomes a paragraph."""
    text = _LIST_OF_HEADINGS.sub("", text)
    text = _HEADING_ID.sub(r'\1<a id="\2"></a>', text)
    text = _ATTRIBUTES.sub("", text)
    text = _SNIPPET.sub(lambda _: page.drop(LeftOut.INCLUDE), text)
    text = _ICON.sub(lambda _: page.drop(), text)
    text = _KEYS.sub(lambda found: "+".join(map(_key, found[1].split("+"))), text)
    text = _ABBREVIATION.sub(r"\n\2 (\1)\n", text)
    return _MARKED.sub(r"\1", text)


def _key(name: str) -> str:
    return name.strip('"').replace("-", " ").title()
