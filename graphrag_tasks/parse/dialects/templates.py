"""Liquid and Jinja: `{% tag %}` of Jekyll, GitBook and MkDocs macros, and `{{ variable }}`.

Variables are known where the front matter has them. The others are dropped and counted; in a page
that has no front matter and no tag, they are text.
"""

from __future__ import annotations

import re

from graphrag_tasks.parse.dialects.page import (
    Page,
    attributes,
    label_of,
    paragraph,
    picture_text,
)
from graphrag_tasks.parse.left_out import LeftOut

_COMMENT = re.compile(
    r"\{%-?\s*comment\s*-?%\}(?:(?!\{%-?\s*comment).){0,20000}?\{%-?\s*endcomment\s*-?%\}"
    r"|\{#(?![\w.:-]+\})[^{}]{0,5000}#\}",
    re.DOTALL,
)
_CODE = re.compile(
    r"\{%-?\s*highlight\b[^%\n]{0,500}%\}((?:(?!\{%-?\s*highlight\b).){0,50000}?)\{%-?\s*endhighlight\s*-?%\}",
    re.DOTALL,
)
_TAG = re.compile(r"\{%[-+]?\s*(?P<name>[A-Za-z][\w-]*)(?P<rest>[^%]{0,2000}?)[-+]?%\}")
_VARIABLE = re.compile(r"\{\{-?(?![<%{])\s*(?P<name>[^{}\n]{0,500}?)\s*-?\}\}")
_OWNER = re.compile(r"(?:page\.meta|page|meta|frontmatter|\$frontmatter)\.", re.IGNORECASE)
_FIRST = re.compile(r"\s*[\"']?([^\s\"']+)")
_IS_TEMPLATE = re.compile(r"\{%[-+]?\s*[a-z]|\{\{[<%]|\{\{-?\s*(?:page|site|config)\.")
_INCLUDES = ("include", "include_relative", "include-markdown", "render", "include_cached")
_HOLDERS = frozenset(
    {"hint", "tabs", "tab", "code", "content-ref", "stepper", "step", "columns", "column", "else"}
)
_MEDIA = frozenset({"embed", "file", "figure"})


def take_templates(text: str, page: Page) -> str:
    """Leave what tags hold and what variables stand for, as far as the page says it."""
    if not page.fields and not _IS_TEMPLATE.search(text):
        return text
    text = _COMMENT.sub(lambda _: page.drop(LeftOut.COMMENT), text)
    text = _CODE.sub(lambda found: page.verbatim.fence(found[1]), text)
    text = _TAG.sub(lambda found: _tag(found["name"], found["rest"], page), text)
    return _VARIABLE.sub(lambda found: _variable(found["name"], page), text)


def _tag(name: str, rest: str, page: Page) -> str:
    given = attributes(rest)
    if name in _INCLUDES:
        return page.drop(LeftOut.INCLUDE)
    if name == "link" and (target := _FIRST.match(rest)):
        return target[1]
    if name in _HOLDERS:
        return paragraph(label_of(given))
    if name in _MEDIA:
        return picture_text(given) or page.drop()
    return "" if name.startswith("end") else page.drop()


def _variable(name: str, page: Page) -> str:
    name = _OWNER.sub("", name.partition("|")[0].strip(), count=1)
    return page.fields[name] if name in page.fields else page.drop()
