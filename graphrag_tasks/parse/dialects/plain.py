"""The marks of all generators, taken in an order in which none hides another."""

from __future__ import annotations

import re
from collections.abc import Callable

from graphrag_tasks.parse.dialects.admonitions import take_admonitions
from graphrag_tasks.parse.dialects.alerts import take_alerts
from graphrag_tasks.parse.dialects.components import take_components
from graphrag_tasks.parse.dialects.containers import take_containers
from graphrag_tasks.parse.dialects.docfx import take_docfx
from graphrag_tasks.parse.dialects.front_matter import split_front_matter
from graphrag_tasks.parse.dialects.page import Page, PlainPage
from graphrag_tasks.parse.dialects.shortcodes import take_shortcodes
from graphrag_tasks.parse.dialects.spans import take_spans
from graphrag_tasks.parse.dialects.templates import take_templates

_PASSES: tuple[Callable[[str, Page], str], ...] = (
    take_components,
    take_admonitions,
    take_containers,
    take_alerts,
    take_docfx,
    take_shortcodes,
    take_templates,
    take_spans,
)
_HEADING = re.compile(r"\s*(?:#[^\n]*|[^\n]+\n=+[ \t]*)(?:\n|\Z)")
_WORDS = re.compile(r"\w+")


def plain_markdown(text: str) -> PlainPage:
    """Return a page without what generators of documentation add to Markdown.

    The front matter gives the title, and its description is the first paragraph where the page
    does not say it anyway.

    Args:
        text: The page, with newlines as line ends.
    """
    front, body = split_front_matter(text)
    page = Page(dict(front))
    title, description = (_plain(front.get(name, ""), page) for name in ("title", "description"))
    body = _plain(body, page)
    if description.strip() and _words(description) not in _words(f"{title}\n{body}"):
        body = _behind_heading(body, description)
    return PlainPage(body, " ".join(title.split()), page.left_out)


def _plain(text: str, page: Page) -> str:
    text = page.verbatim.hide(text)
    for take in _PASSES:
        text = take(text, page)
    return page.verbatim.show(text)


def _words(text: str) -> str:
    return f" {' '.join(_WORDS.findall(text.casefold()))} "


def _behind_heading(body: str, description: str) -> str:
    heading = _HEADING.match(body)
    end = heading.end() if heading else 0
    return f"{body[:end].rstrip()}\n\n{' '.join(description.split())}\n\n{body[end:]}"
