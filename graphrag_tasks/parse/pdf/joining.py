"""Lines of text into one text, broken words mended."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from graphrag_tasks.parse.pdf.lines import Line

_BROKEN_WORD = re.compile(r"[^\W\d_][-\u00ad\u2010]$")
_UNSPACED = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")  # kana, ideographs, full width
_SOFT_HYPHEN = "\u00ad"


def join_lines(lines: Iterable[str]) -> str:
    """Return the lines as one text.

    A hyphen goes where it broke a word: after a letter, and before a lower-case letter. Chinese
    and Japanese lines are joined without a space.
    """
    text = ""
    for line in lines:
        text = _join(text, line) if text and line else text or line
    return text.replace(_SOFT_HYPHEN, "")


def join_code(lines: Sequence[Line]) -> str:
    """Return lines of code, indented by where they stand on the page."""
    left = min(line.box.left for line in lines)
    width = max(sum(line.width for line in lines) / sum(len(line.text) for line in lines), 0.1)
    indents = (round((line.box.left - left) / width) for line in lines)
    return "\n".join(" " * indent + line.text for indent, line in zip(indents, lines, strict=True))


def _join(text: str, line: str) -> str:
    if _BROKEN_WORD.search(text) and line[0].islower():
        return text[:-1] + line
    if _UNSPACED.match(text[-1]) and _UNSPACED.match(line[0]):
        return text + line
    return f"{text} {line}"
