"""Convert all dialects, in an order in which no step hides markup from another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from graphrag_tasks.sources.markdown.components import take_components
from graphrag_tasks.sources.markdown.containers import take_admonitions, take_containers
from graphrag_tasks.sources.markdown.page import ALIASES, Page, split_front_matter
from graphrag_tasks.sources.markdown.spans import take_alerts, take_comments, take_docfx, take_spans
from graphrag_tasks.sources.markdown.templates import take_shortcodes, take_templates

_PASSES = (
    *(take_comments, take_components, take_admonitions, take_containers, take_alerts),
    *(take_docfx, take_shortcodes, take_templates, take_spans),
)
_HEADING = re.compile(r"\s*(?:#[^\n]*|[^\n]+\n=+[ \t]*)(?:\n|\Z)")
_WORDS = re.compile(r"\w+")
_ADDRESS = re.compile(r"\S*/\S*|[a-z0-9]+(?:[-_.][a-z0-9]+)+")


class PlainPage(NamedTuple):
    """A page as plain Markdown, with its front matter title or "", and what is left out."""

    text: str
    title: str
    left_out: Mapping[str, int]


def plain_markdown(text: str) -> PlainPage:
    """Convert a page, whose lines end in newlines, to plain Markdown.

    The front matter gives the title. Its description becomes the first paragraph, unless the page contains it; so do
    the other names of what the page is about.
    """
    front, body = split_front_matter(text)
    page = Page(dict(front))
    title, description = (_plain(front.get(name, ""), page) for name in ("title", "description"))
    body = _plain(body, page)
    aliases = _aliases(front, title.strip() or _title(body))
    if not description.strip() or _words(description) in _words(f"{title}\n{body}"):
        description = ""
    if said := [" ".join(one.split()) for one in (aliases, description) if one.strip()]:
        heading = _HEADING.match(body)
        end = heading.end() if heading else 0
        body = "\n\n".join([body[:end].rstrip(), *said, body[end:]])
    return PlainPage(body, " ".join(title.split()), page.left_out)


def _aliases(front: Mapping[str, str], title: str) -> str:
    """Return a sentence of the other names, or ""."""
    names = [one.strip() for key in ALIASES for one in front.get(key, "").split(",")]
    names = [one for one in names if one and not _ADDRESS.fullmatch(one) and one != title]
    start = f"{title} is also known as" if title else "Also known as"
    return f"{start} {' and '.join(names)}." if names else ""


def _title(body: str) -> str:
    heading = _HEADING.match(body)
    return heading[0].strip().partition("\n")[0].partition("<")[0].strip("# ") if heading else ""


def _plain(text: str, page: Page) -> str:
    text = page.verbatim.hide(text)
    for take in _PASSES:
        text = take(text, page)
    return page.verbatim.show(text)


def _words(text: str) -> str:
    return f" {' '.join(_WORDS.findall(text.casefold()))} "
