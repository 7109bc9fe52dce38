"""Blocks whose text is indented below their mark: `!!! note "Title"`, `??? tip`, `=== "Tab"`.

MkDocs has them from Python-Markdown and Material. A line that begins so but has no indented text
below it is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from graphrag_tasks.parse.dialects.page import Page, paragraph

_WIDTH = 4
_MARK = re.compile(
    r"(?P<indent>[ \t]*)(?:(?:!!!|\?\?\?\+?)[ \t]+(?P<kind>[A-Za-z][\w-]*(?:[ \t]+[\w-]+)*)"
    r"(?:[ \t]+\"(?P<title>[^\n]*)\")?|===[!+]?[ \t]+[\"'](?P<tab>[^\n]*)[\"'])[ \t]*"
)


def take_admonitions(text: str, _: Page) -> str:
    """Put what admonitions and tabs hold in their place, their titles before it."""
    if not any(mark in text for mark in ("!!!", "???", "===")):
        return text
    return "\n".join(_taken(text.split("\n")))


def _taken(lines: Sequence[str]) -> Iterator[str]:
    number = 0
    while number < len(lines):
        found = _MARK.fullmatch(lines[number])
        end = _end(lines, number, len(found["indent"].expandtabs(_WIDTH))) if found else number
        if found is None or end == number:
            yield lines[number]
            number += 1
            continue
        indent = found["indent"]
        yield paragraph(found["title"] or found["tab"] or "", indent)
        inner = [_dedented(line, len(indent)) for line in lines[number + 1 : end]]
        yield from _taken(inner)
        yield ""
        number = end


def _end(lines: Sequence[str], mark: int, indent: int) -> int:
    """Return the number of the line behind a block, or that of its mark where it holds nothing."""
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
