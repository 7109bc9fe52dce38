"""Clean text: control characters, blank space, superscripts, signs of fonts with codes of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from importlib import resources
from itertools import pairwise

from graphrag_tasks.core.visible import TURNS

_RUNS = json.loads((resources.files(__package__) / "symbols.json").read_text("utf-8"))
_SIGNS: dict[str, dict[int, str]] = {
    font: {int(start, 16) + at: sign for start, run in runs.items() for at, sign in enumerate(run)}
    for font, runs in _RUNS.items()
}
_PRIVATE, _CODES = 0xF000, 0x100  # Where programs put the codes of such fonts, and how many there are.


def in_unicode(text: str, font: str) -> str:
    """Return a text in this font in Unicode; an unknown sign of such a font is U+FFFD."""
    signs = _SIGNS.get(font.casefold())
    return text if signs is None else "".join(_sign(ord(one), one, signs) for one in text)


def _sign(code: int, character: str, signs: dict[int, str]) -> str:
    code = code - _PRIVATE if _PRIVATE <= code < _PRIVATE + _CODES else code
    is_sign = code < _CODES and not character.isspace()
    return signs.get(code, "\N{REPLACEMENT CHARACTER}") if is_sign else character


_LINE_ENDS = re.compile(r"\r\n?|[\u2028\u2029]")
_SPACE_CONTROLS = "\x0b\x0c\x1c\x1d\x1e\x1f\x85"
_CONTROLS = (
    {
        code: " " if chr(code) in _SPACE_CONTROLS else ""
        for code in (*range(32), *range(127, 160), *map(ord, TURNS))
        if chr(code) not in "\t\n"
    }
    | dict.fromkeys((0xA0, 0x2007, 0x202F), " ")
    | dict.fromkeys(range(0xFDD0, 0xFDF0), "")
    | dict.fromkeys((0xAD, 0x180E, 0x200B, 0x2060, 0xFEFF), "")
)
"""The control characters C0, DEL and C1 of Unicode, noncharacters, what turns the direction of writing, and what
only says where a line or a word may be parted."""
_JOINER = re.compile("(?<=[a-zA-Z\u00c0-\u024f])[\u200c\u200d](?=[a-zA-Z\u00c0-\u024f])")
"""Joiners have no meaning between Latin letters; Persian, Indic scripts and emoji need them."""
_SURROGATES = re.compile("[\ud800-\udfff]")
_MAX_MARKS = 500  # Limit per line: a paragraph of links alone has a few hundred marks. Chosen.
_MAX_ROW = 5000  # characters of a line that may be a row or a rule of a table
_LONG_WORD = 100  # characters in which a blank is looked for behind a mark
_RAISED = str.maketrans("0123456789+-\N{MINUS SIGN}", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_LOWERED = str.maketrans("0123456789+-\N{MINUS SIGN}", "₀₁₂₃₄₅₆₇₈₉₊₋₋")
_SCRIPT = re.compile("\\s*[-+\N{MINUS SIGN}]?[0-9]+[-+]?\\s*")
_OF_TABLE = re.compile(r"\s*[|+<]|[-=+:|\s]+\Z")


def clean_text(text: str) -> str:
    r"""Return text with `\n` line ends, without surrogates and invisible characters.

    Outer blank lines and trailing blank space are removed; the first line's indentation stays.
    """
    text = _JOINER.sub("", _LINE_ENDS.sub("\n", text).translate(_CONTROLS))
    text = _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text).rstrip()
    first_line = text[: len(text) - len(text.lstrip())].rfind("\n") + 1
    return text[first_line:]


def bounded_lines(text: str, marks: str) -> str:
    """Split lines of markup with more than `_MAX_MARKS` marks into paragraphs.

    Markup parsers search the rest of the paragraph for the end of each mark.
    """
    mark = re.compile(f"[{re.escape(marks)}]")
    lines = text.split("\n")
    for at, line in enumerate(lines):
        is_row = len(line) <= _MAX_ROW and _OF_TABLE.match(line)
        if len(line) > _MAX_MARKS and not is_row:
            last = [found.end() for found in mark.finditer(line)][_MAX_MARKS - 1 :: _MAX_MARKS]
            blanks = (line.find(" ", end, end + _LONG_WORD) for end in last)
            cuts = [max(pair) for pair in zip(last, blanks, strict=True)]
            places = pairwise([0, *cuts, len(line)])
            lines[at] = "\n\n".join(line[start:end] for start, end in places).rstrip("\n")
    return "\n".join(lines)


def one_line(text: str) -> str:
    """Return clean text with every run of blank space as one space."""
    return " ".join(clean_text(text).split())


def raised(before: str, text: str, *, lowered: bool = False) -> str:
    """Return a superscript, or subscript, as written after the text `before`.

    A number becomes Unicode's small digits, so that a power does not lengthen a number and a note mark not a name.
    Letters stay (42nd), and so do subscripts after a letter (H2O).
    """
    is_joined = before[-1:].isdecimal() if lowered else before[-1:].isalnum()
    if is_joined and _SCRIPT.fullmatch(text):
        return text.translate(_LOWERED if lowered else _RAISED)
    return text


def number_ranges(numbers: Iterable[int]) -> str:
    """Return ascending numbers as ranges: `2, 5-9, 12`."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ", ".join(f"{low}" if low == high else f"{low}-{high}" for low, high in ranges)
