"""MDX: imports, exports, comments, expressions, and components such as `<Tabs>` (Docusaurus).

Names in angle brackets are components only in pages that import something or use a generator's built-in component:
elsewhere `<Service>` is a placeholder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.sources.markdown.page import Page, attributes, label_of, paragraph

_NAMES = r"(?:\*[ \t]+as[ \t]+)?[\w$]*[ \t]*,?[ \t]*(?:\{[^{}]{0,1000}\}[ \t]*)?"
_IMPORT = re.compile(rf"^import[ \t]+(?:{_NAMES}from[ \t]+)?(?:\"[^\"\n]+\"|'[^'\n]+');?[ \t]*$", re.MULTILINE)
_EXPORT = re.compile(
    r"^export[ \t]+(?:const|let|var|default|function|async|class)\b[^\n]*(?:\n(?!\s*\n)[^\n]+)*", re.MULTILINE
)
_CONSTANT = re.compile(r"export[ \t]+const[ \t]+(\w+)[ \t]*=[ \t]*[\"']([^\"'\n]*)[\"']")
_KNOWN = re.compile(
    r"<(?:Tabs|TabItem|Tab|TabPanel|Steps?|Cards?|CardGroup|CardGrid|Callout|Aside|Accordion|"
    r"AccordionGroup|Admonition|Details|LinkCard|CodeGroup|Note|Tip|Warning|Info)"
    r"(?:[ \t]+\w+[ \t]*=[^<>]*|[ \t]*/?)>"
)
_COMMENT = re.compile(r"(?<!\{)\{\s{0,9}/\*(?:(?!\{\s{0,9}/\*).){0,20000}?\*/\s*\}", re.DOTALL)
_BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_ATTRIBUTES = rf"(?:\s+[\w:.-]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|{_BRACES}))?|\s+{_BRACES})*"
_TAG = re.compile(rf"(?:(?<![\w\\])<|<(?=/))(?P<end>/?)(?P<name>[A-Z][\w.]*)(?P<rest>{_ATTRIBUTES})\s*(?P<self>/?)>")
_ELEMENT = re.compile(rf"<([a-z][\w-]*)({_ATTRIBUTES})\s*(/?)>")
_FRAGMENT = re.compile(r"</?>")
_VALUE = re.compile(rf"\s+[\w:.-]+\s*=\s*{_BRACES}|\s+{_BRACES}")
_SPACE = re.compile(r"\{\s*([\"'`])([^\"'`{}\n]*)\1\s*\}")
_EXPRESSION = re.compile(r"(?<![\\$\w{])\{\s*([A-Za-z_$][\w$.]*(?:\([^(){}\n]*\))?)\s*\}(?!\})")
_OWNER = re.compile(r"(?:frontMatter|props|metadata)\.")


def take_components(text: str, page: Page) -> str:
    """Replace components by their content and labels; drop and count those that generate text."""
    text = _COMMENT.sub(lambda _: page.drop(LeftOut.COMMENT), text)
    imports = _IMPORT.search(text) or _EXPORT.search(text)
    if not imports and not _KNOWN.search(text):
        return text
    page.fields.update((found[1], found[2]) for found in _CONSTANT.finditer(text))
    text = _EXPORT.sub(lambda _: page.drop(), _IMPORT.sub(lambda _: page.drop(), text))
    text = "\n".join(_dedented(text.split("\n")))
    text = _TAG.sub(lambda found: _taken(found, page), _FRAGMENT.sub("", text))
    text = _ELEMENT.sub(lambda found: f"<{found[1]}{_VALUE.sub('', found[2])}{found[3]}>", text)
    if not imports:
        return text
    text = _SPACE.sub(r"\2", text)
    return _EXPRESSION.sub(lambda found: page.value(_OWNER.sub("", found[1], count=1)), text)


def _taken(found: re.Match[str], page: Page) -> str:
    given = attributes(found["rest"])
    if found["end"]:
        return "\n\n" if _alone(found) else ""
    label = label_of(given) or (given.get("value", "") if found["name"] == "TabItem" else "")
    said = [text for text in (label, given.get("description", "")) if text]
    if not found["self"]:
        return "".join(map(paragraph, said)) or ("\n\n" if _alone(found) else "")
    if not said:
        return given.get("text") or page.drop()
    return "".join(map(paragraph, said)) if _alone(found) else " ".join(said)


def _alone(found: re.Match[str]) -> bool:
    """Tell whether the tag stands alone on its lines."""
    text = found.string
    before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
    return not before.strip() and text[found.end() : found.end() + 1] in ("", "\n")


def _dedented(lines: list[str]) -> Iterator[str]:
    """Yield lines without the indentation inside components.

    Markdown would take it for code; MDX has no indented code.
    """
    depths: list[int | None] = []
    for line in lines:
        tags = list(_TAG.finditer(line))
        indent = len(line) - len(line.lstrip())
        for tag in tags:
            if tag["end"] and depths:
                depths.pop()
        if tags or not line.strip() or not depths:
            yield line.strip() if tags and not line[:indent].strip() and depths else line
        else:
            if depths[-1] is None:
                depths[-1] = indent
            yield line[min(indent, depths[-1] or 0) :]
        for tag in tags:
            if not tag["end"] and not tag["self"]:
                depths.append(None)
