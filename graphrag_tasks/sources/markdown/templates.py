"""Template tags: Hugo's shortcodes, and Liquid and Jinja of Jekyll, GitBook and MkDocs macros.

Variables are replaced if the front matter defines them, else dropped and counted; in a page without front matter and
tags, they are text.
"""

from __future__ import annotations

import re

from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.sources.markdown.page import Page, attributes, label_of, paragraph, picture_text

_SHORT_COMMENT = re.compile(r"\{\{-?\s?/\*(?:(?!\{\{).){0,5000}?\*/\s?-?\}\}", re.DOTALL)
_EXAMPLE = re.compile(r"\{\{([<%])/\*\s*([^\n]{0,500}?)\s*\*/([>%])\}\}")
_SHORT_CODE = re.compile(
    r"\{\{[<%]\s*highlight\b[^{}\n]{0,500}[>%]\}\}((?:(?!\{\{[<%]\s*highlight\b).){0,50000}?)"
    r"\{\{[<%]\s*/\s*highlight\s*[>%]\}\}",
    re.DOTALL,
)
_SHORTCODE = re.compile(
    r"\{\{[<%]\s*(?P<end>/?)\s*(?P<name>[A-Za-z][\w./-]*)(?P<rest>(?:[^{}]|\{(?!\{)){0,2000}?)"
    r"[>%]\}\}"
)
_SHORT_END = re.compile(r"\{\{[<%]\s*/\s*([A-Za-z][\w./-]*)\s*[>%]\}\}")
_TEXT = re.compile(r"[\"`]([^\"`\n]*)[\"`]|(?<![=\w])([^\s\"=]+)")
_LABELLED = ("tab", "details", "expand", "accordion", "step", "card", "heading")
_HEADINGS = {"whatsnext": "What's next"}

_COMMENT = re.compile(
    r"\{%-?\s*comment\s*-?%\}(?:(?!\{%-?\s*comment).){0,20000}?\{%-?\s*endcomment\s*-?%\}"
    r"|\{#(?![\w.:-]+\})[^{}]{0,5000}#\}",
    re.DOTALL,
)
_CODE = re.compile(
    r"\{%-?\s*highlight\b[^%\n]{0,500}%\}((?:(?!\{%-?\s*highlight\b).){0,50000}?)"
    r"\{%-?\s*endhighlight\s*-?%\}",
    re.DOTALL,
)
_TAG = re.compile(r"\{%[-+]?\s*(?P<name>[A-Za-z][\w-]*)(?P<rest>[^%]{0,2000}?)[-+]?%\}")
_VARIABLE = re.compile(r"\{\{-?(?![<%{])\s*(?P<name>[^{}\n]{0,500}?)\s*-?\}\}")
_OWNER = re.compile(r"(?:page\.meta|page|meta|frontmatter|\$frontmatter)\.", re.IGNORECASE)
_FIRST = re.compile(r"\s*[\"']?([^\s\"']+)")
_IS_TEMPLATE = re.compile(r"\{%[-+]?\s*[a-z]|\{\{[<%]|\{\{-?\s*(?:page|site|config)\.")
_INCLUDES = ("include", "include_relative", "include-markdown", "render", "include_cached")
_HOLDERS = (*("hint", "tabs", "tab", "code", "content-ref"), *("stepper", "step", "columns", "column", "else"))
_MEDIA = ("embed", "file", "figure")


def take_shortcodes(text: str, page: Page) -> str:
    """Replace Hugo's shortcodes by their content and labels; drop those that generate text."""
    if "{{<" not in text and "{{%" not in text and "/*" not in text:
        return text
    text = _EXAMPLE.sub(r"`{{\1 \2 \3}}`", text)
    text = page.verbatim.hide_spans(text)
    text = _SHORT_COMMENT.sub(lambda _: page.drop(LeftOut.COMMENT), text)
    text = _SHORT_CODE.sub(lambda found: page.verbatim.fence(found[1]), text)
    paired = {found[1] for found in _SHORT_END.finditer(text)}
    return _SHORTCODE.sub(lambda found: _shortcode(found, paired, page), text)


def _shortcode(found: re.Match[str], paired: set[str], page: Page) -> str:
    name, rest = found["name"], found["rest"].strip().removesuffix("/")
    if found["end"]:
        return ""
    given = attributes(rest)
    first = next((match[1] or match[2] for match in _TEXT.finditer(rest)), "")
    if name in ("ref", "relref"):
        return given.get("path") or first
    if name == "param" and first in page.fields:
        return page.fields[first]
    if name == "heading" and first:
        return _HEADINGS.get(first, first.capitalize())
    if name in ("figure", "img", "image"):
        return picture_text(given) or page.drop()
    label = label_of(given) or given.get("name" if name == "tab" else "text", "")
    if name in paired:
        return paragraph(label or (first if name in _LABELLED else ""))
    if name in ("include", "readfile", "snippet"):
        return page.drop(LeftOut.INCLUDE)
    return label or page.drop()


def take_templates(text: str, page: Page) -> str:
    """Replace `{% tag %}` by its content, and `{{ variable }}` by its value."""
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
    return page.value(_OWNER.sub("", name.partition("|")[0].strip(), count=1))
