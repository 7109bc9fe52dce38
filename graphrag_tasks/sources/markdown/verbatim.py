"""Protect code in Markdown while the text around it is changed.

Code is shown as written: a directive in code is an example.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_OPEN, _CLOSE = "\ufdd0", "\ufdd1"  # noncharacters, which no document may hold
_TOKEN = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")
_NONCHARACTERS = {code: None for code in range(0xFDD0, 0xFDF0)}  # Noncharacters, removed from all input text.
_PREFIX = r"(?:[ \t]|>|[-*+][ \t]|[0-9]{1,9}[.)][ \t])*"
_FENCE = re.compile(rf"({_PREFIX})(`{{3,}}(?=[^`\n]*$)|~{{3,}})")
_INLINE = re.compile(
    r"(?<![`\\])(`{1,20})(?!`)(?:[^\n]|\n(?![ \t]*\n)){1,2000}?(?<!`)\1(?!`)"
    r"|<(pre|code)\b[^<>]{0,200}>(?:(?!<\2\b).){0,20000}?</\2>"
    r"|\{%-?\s*raw\s*-?%\}(?:(?!\{%-?\s*raw).){0,20000}?\{%-?\s*endraw\s*-?%\}",
    re.DOTALL | re.IGNORECASE,
)
_RAW_TAG = re.compile(r"\{%-?\s*(?:end)?raw\s*-?%\}")
_NOTHING = re.compile(r"(?!)")
_CONTAINER = re.compile(r"[ \t]{0,3}(?:[-*+][ \t]|[0-9]{1,9}[.)][ \t]|!!!|\?\?\?|===|\[\^[^\]]+\]:|<[A-Za-z])")
"""Lines after which an indented line is not code but belongs to them."""
_INDENTED = re.compile(r"(?: {4}|\t)[ \t]*\S")


class Verbatim:
    """The code of a text: fences, indented lines, spans, and Liquid's raw text.

    `with_raw_tags` includes Liquid's tags around raw text.
    """

    def __init__(self, *, with_raw_tags: bool = False) -> None:
        self._tags = _NOTHING if with_raw_tags else _RAW_TAG
        self._kept: list[tuple[str, int]] = []

    def hide(self, text: str) -> str:
        """Replace each piece of code by a token."""
        return self.hide_spans("\n".join(self._without_blocks(text.translate(_NONCHARACTERS))))

    def hide_spans(self, text: str) -> str:
        """Replace code spans by tokens, in a text with some code already hidden."""
        return _INLINE.sub(lambda found: self.token(self._tags.sub("", found[0])), text)

    def show(self, text: str) -> str:
        """Restore the code; a block that was indented or dedented keeps its shape."""
        while _TOKEN.search(text):  # code in a tag of HTML may hold code
            text = _TOKEN.sub(self._shown, text)
        return text

    def fence(self, code: str) -> str:
        """Return a token for code that will be fenced."""
        marks = "`" * max(3, *(1 + len(run) for run in re.findall("`+", self.show(code)) or [""]))
        return self.token(f"{marks}\n{code.strip(chr(10))}\n{marks}")

    def token(self, code: str, indent: int = 0) -> str:
        """Return what stands for a piece of code."""
        self._kept.append((code, indent))
        return f"{_OPEN}{len(self._kept) - 1}{_CLOSE}"

    def _shown(self, found: re.Match[str]) -> str:
        text = found.string
        code, before = self._kept[int(found[1])]
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        if "\n" not in code or line.strip():
            return code
        first, *others = code.split("\n")
        return "\n".join([first, *(_moved(other, len(line) - before) for other in others)])

    def _without_blocks(self, text: str) -> Iterator[str]:
        lines = text.split("\n")
        number, in_container, after_blank = 0, False, True
        while number < len(lines):
            line = lines[number]
            if fence := _FENCE.match(line):
                end = _end_of_fence(lines, number, fence[2])
                code = "\n".join(lines[number:end])
                yield fence[1] + self.token(code[len(fence[1]) :], len(fence[1]))
                number, after_blank = end, False
                continue
            if after_blank and not in_container and _INDENTED.match(line):
                indent = len(line) - len(line.lstrip())
                yield line[:indent] + self.token(line[indent:], indent)
            else:
                yield line
                after_blank = not line.strip()
                if line.strip() and not line[0].isspace():
                    in_container = _CONTAINER.match(line) is not None
            number += 1


def _end_of_fence(lines: list[str], start: int, fence: str) -> int:
    """Return the line number after a fence; an unclosed fence extends to the last line."""
    closing = re.compile(rf"[ \t>]*{fence[0]}{{{len(fence)},}}[ \t]*")
    for number in range(start + 1, len(lines)):
        if closing.fullmatch(lines[number]):
            return number + 1
    return len(lines)


def _moved(line: str, by: int) -> str:
    if by >= 0:
        return " " * by + line if line.strip() else line
    indent = len(line) - len(line.lstrip(" "))
    return line[min(-by, indent) :]
