"""Hugo's shortcodes: `{{< figure caption="…" >}}`, `{{% note %}} … {{% /note %}}`."""

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

_COMMENT = re.compile(r"\{\{-?\s?/\*(?:(?!\{\{).){0,5000}?\*/\s?-?\}\}", re.DOTALL)
_EXAMPLE = re.compile(r"\{\{([<%])/\*\s*([^\n]{0,500}?)\s*\*/([>%])\}\}")
_CODE = re.compile(
    r"\{\{[<%]\s*highlight\b[^{}\n]{0,500}[>%]\}\}((?:(?!\{\{[<%]\s*highlight\b).){0,50000}?)\{\{[<%]\s*/\s*highlight\s*[>%]\}\}",
    re.DOTALL,
)
_SHORTCODE = re.compile(
    r"\{\{[<%]\s*(?P<end>/?)\s*(?P<name>[A-Za-z][\w./-]*)(?P<rest>(?:[^{}]|\{(?!\{)){0,2000}?)"
    r"[>%]\}\}"
)
_END = re.compile(r"\{\{[<%]\s*/\s*([A-Za-z][\w./-]*)\s*[>%]\}\}")
_TEXT = re.compile(r"[\"`]([^\"`\n]*)[\"`]|(?<![=\w])([^\s\"=]+)")
_LABELLED = ("tab", "details", "expand", "accordion", "step", "card", "heading")
_HEADINGS = {"whatsnext": "What's next"}


def take_shortcodes(text: str, page: Page) -> str:
    """Leave what shortcodes hold, and their labels; drop and count those that make text."""
    if "{{<" not in text and "{{%" not in text and "/*" not in text:
        return text
    text = _EXAMPLE.sub(r"`{{\1 \2 \3}}`", text)
    text = page.verbatim.hide_spans(text)
    text = _COMMENT.sub(lambda _: page.drop(LeftOut.COMMENT), text)
    text = _CODE.sub(lambda found: page.verbatim.fence(found[1]), text)
    paired = {found[1] for found in _END.finditer(text)}
    return _SHORTCODE.sub(lambda found: _taken(found, paired, page), text)


def _taken(found: re.Match[str], paired: set[str], page: Page) -> str:
    name, rest = found["name"], found["rest"].strip().removesuffix("/")
    if found["end"]:
        return ""
    given = attributes(rest)
    first = next((one[1] or one[2] for one in _TEXT.finditer(rest)), "")
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
