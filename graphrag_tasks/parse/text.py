"""Bytes to text, and clean text."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from contextlib import suppress

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.parse.left_out import LeftOut

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LINE_ENDS = re.compile(r"\r\n?|[\u2028\u2029]")
_SPACE_CONTROLS = "\x0b\x0c\x1c\x1d\x1e\x1f\x85"
_CONTROLS = {
    code: " " if chr(code) in _SPACE_CONTROLS else ""
    for code in (*range(32), *range(127, 160))
    if chr(code) not in "\t\n"
}
_SURROGATES = re.compile("[\ud800-\udfff]")
_INVALID = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_MAX_INVALID = 0.05  # share of characters that no text has, of a text file with NUL bytes
_MAX_INVALID_GUESSED = 0.01  # where Windows-1252, which takes nearly all bytes, is guessed
_WIDE = 0.7  # share of zeros among every other byte of Latin text in UTF-16


def decode(data: bytes, declared: str | None = None) -> str:
    """Return the text of a text file, with the control characters that it holds.

    A byte-order mark settles the encoding; else UTF-8, what the file declares, and Windows-1252 are
    tried. Many NUL bytes are a binary file's, or those of UTF-16 without a mark.

    Raises:
        DocumentError: The bytes are binary (code `broken`).
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decode(data, (encoding,))
    known = ("utf-8", *([declared] if declared else []))
    if b"\x00" not in data:
        return _decode(data, (*known, "cp1252"))
    if wide := _wide_encoding(data):
        return _decode(data, (wide,))
    for encodings, most in ((known, _MAX_INVALID), (("cp1252",), _MAX_INVALID_GUESSED)):
        with suppress(DocumentError):
            text = _decode(data, encodings)
            if len(_INVALID.findall(text)) <= most * len(text):
                return text
    raise _not_text("it holds NUL bytes")


def _wide_encoding(data: bytes) -> str | None:
    """Return the UTF-16 that data without a mark is in, if every other byte is mostly zero."""
    half = len(data) // 2
    low, high = data[::2].count(0), data[1::2].count(0)
    if len(data) % 2 == 0 and max(low, high) >= _WIDE * half and min(low, high) == 0:
        return "utf-16-be" if low else "utf-16-le"
    return None


def _decode(data: bytes, encodings: tuple[str, ...]) -> str:
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    raise _not_text(f"it cannot be decoded as {' or '.join(encodings)}")


def _not_text(why: str) -> DocumentError:
    return DocumentError("broken", f"the file is not text: {why}", hint="Save it as UTF-8")


def without_invalid(text: str) -> tuple[str, dict[str, int]]:
    """Return the text without characters that no text has, and how many these are."""
    clean, count = _INVALID.subn("", text)
    return clean, {LeftOut.INVALID_CHARACTERS: count}


def clean_text(text: str) -> str:
    """Return text with newlines as line ends, without control characters and lone surrogates.

    Outer blank lines and trailing blank space go; the first line's indentation stays.
    """
    text = _LINE_ENDS.sub("\n", text).translate(_CONTROLS)
    text = _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text).rstrip()
    first_line = text[: len(text) - len(text.lstrip())].rfind("\n") + 1
    return text[first_line:]


def one_line(text: str) -> str:
    """Return clean text with every run of blank space as one space."""
    return " ".join(clean_text(text).split())


def number_ranges(numbers: Iterable[int]) -> str:
    """Return ascending numbers in words: `2, 5-9, 12`."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ", ".join(f"{low}" if low == high else f"{low}-{high}" for low, high in ranges)
