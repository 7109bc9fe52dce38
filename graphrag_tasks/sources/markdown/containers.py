"""Containers, admonitions and tabs.

Containers stand between two fences, `:::note … :::` of Docusaurus, VitePress and DocFX and `/// tip Title … ///` of
MkDocs; DocFX also has single lines, `:::image source="a.png" alt-text="What it shows":::`. The text of `!!! note
"Title"`, `??? tip` and `=== "Tab"` of MkDocs is indented below them. Unpaired fences, and such lines without indented
text, are plain text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.sources.markdown.page import Page, attributes, label_of, paragraph, picture_text

_ON_A_LINE = re.compile(r":::[ \t]*([a-z][a-z-]*)((?:[ \t]+[\w-]+[ \t]*=[ \t]*\"[^\"]*\")*)[ \t]*:::")
_IMAGE = re.compile(r"^([ \t>]*):::[ \t]*image[ \t]([^\n]*\"[^\n]*)$", re.MULTILINE)
_DOCFX = re.compile(
    r"^[ \t>]*:::[ \t]*(?:(?:zone|moniker)[ \t][^\n]*|(?:zone|moniker|row|column|image)-end"
    r"(?:[ \t]*:::)?)[ \t]*$",
    re.MULTILINE,
)
_API = re.compile(r"^::: [A-Za-z_]\w*(?:\.\w+)+[ \t]*(?:\n {4,}[^\n]*)*$", re.MULTILINE)
_OPEN = re.compile(r"(?P<indent>[ \t>]*)(?P<fence>:{3,}|/{3,})[ \t]*(?P<name>[A-Za-z][\w-]*)(?P<rest>.*)")
_CLOSE = re.compile(r"[ \t>]*(:{3,}|/{3,})[ \t]*")
_TITLE = re.compile(r"[ \t]*(?:\[(?P<in_brackets>[^\]]*)\]|\|?(?P<bare>[^{}|]*))")
_WIDTH = 4  # Indentation of a container's text, and width of a tab (CommonMark; Python-Markdown).
_ADMONITION = re.compile(
    r"(?P<indent>[ \t]*)(?:(?:!!!|\?\?\?\+?)[ \t]+(?P<kind>[A-Za-z][\w-]*(?:[ \t]+[\w-]+)*)"
    r"(?:[ \t]+\"(?P<title>[^\n]*)\")?|===[!+]?[ \t]+[\"'](?P<tab>[^\n]*)[\"'])[ \t]*"
)


def take_containers(text: str, page: Page) -> str:
    """Remove the fences of containers; their titles become paragraphs."""
    if ":::" not in text and "///" not in text:
        return text
    text = _ON_A_LINE.sub(lambda found: _on_a_line(found[1], attributes(found[2]), page), text)
    text = _IMAGE.sub(lambda found: found[1] + picture_text(attributes(found[2])), text)
    lines = _DOCFX.sub("", text).split("\n")
    for number, line in _fences(lines).items():
        lines[number] = line
    return _API.sub(lambda _: page.drop(), "\n".join(lines))


def _on_a_line(name: str, found: dict[str, str], page: Page) -> str:
    if name == "code":
        return page.drop(LeftOut.INCLUDE)
    if name in ("image", "no-loc"):
        return found.get("text") or picture_text(found) or page.drop()
    return "" if name.removesuffix("-end") in ("row", "column", "image") else page.drop()


def _fences(lines: list[str]) -> dict[int, str]:
    """Return the replacement of each line that is a paired fence."""
    opened: dict[str, list[tuple[int, str]]] = defaultdict(list)
    taken: dict[int, str] = {}
    for number, line in enumerate(lines):
        if closing := _CLOSE.fullmatch(line):
            if opened[closing[1]]:
                start, title = opened[closing[1]].pop()
                for inside in opened.values():  # what was opened in it and not closed
                    while inside and inside[-1][0] > start:
                        inside.pop()
                taken[start], taken[number] = title, line.partition(closing[1][0])[0].rstrip()
        elif found := _OPEN.fullmatch(line):
            title = paragraph(_title(found["rest"]))
            if ">" in found["indent"]:
                title = found["indent"] + title.strip()
            opened[found["fence"]].append((number, title))
    return taken


def _title(rest: str) -> str:
    if label := label_of(attributes(rest)):
        return label
    found = _TITLE.match(rest)
    return (found["in_brackets"] or found["bare"] or "").strip() if found else ""


def take_admonitions(text: str, _: Page) -> str:
    """Replace admonitions and tabs by their title and content."""
    if not any(mark in text for mark in ("!!!", "???", "===")):
        return text
    return "\n".join(_unindented(text.split("\n")))


def _unindented(lines: Sequence[str]) -> Iterator[str]:
    number = 0
    while number < len(lines):
        found = _ADMONITION.fullmatch(lines[number])
        end = _end(lines, number, len(found["indent"].expandtabs(_WIDTH))) if found else number
        if found is None or end == number:
            yield lines[number]
            number += 1
            continue
        indent = found["indent"]
        yield paragraph(found["title"] or found["tab"] or "", indent)
        yield from _unindented([_dedented(line, len(indent)) for line in lines[number + 1 : end]])
        yield ""
        number = end


def _end(lines: Sequence[str], mark: int, indent: int) -> int:
    """Return the line number after a block, or its first line if it has no content."""
    end = mark
    for number in range(mark + 1, len(lines)):
        line = lines[number].expandtabs(_WIDTH)
        if not line.strip():
            continue
        if len(line) - len(line.lstrip()) < indent + _WIDTH:
            break
        end = number
    return end + 1 if end > mark else mark


def _dedented(line: str, indent: int) -> str:
    line = line.expandtabs(_WIDTH) if "\t" in line[: indent + _WIDTH] else line
    return line[:indent] + line[indent + _WIDTH :] if line.strip() else ""
