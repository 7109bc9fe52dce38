"""Decodes text files: by what is known of the encoding, or else by which reading makes sense.

In this order: the setting `parse.encoding`, a byte-order mark, UTF-8, and what `detection` finds,
where the encoding that the file declares is taken over an equal one. A file that is UTF-8 but for
some lines is decoded by line. Text that makes no sense in any encoding is refused.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from typing import NamedTuple

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.detection import Guess, detect, language_evidence
from graphrag_tasks.parse.text import without_invalid

given_encoding: ContextVar[str | None] = ContextVar("given_encoding", default=None)
"""What `parse.encoding` sets for the document that is read; None: nothing."""

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE_ENCODINGS = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
_ESCAPED = {b"\x1b$)C": "iso2022_kr", b"\x1b$": "iso2022_jp_2"}
"""Encodings whose bytes are ASCII, and how they say that Korean or Japanese comes (RFC 1557 and
1554)."""

_SUPERSETS = {
    **dict.fromkeys(("ascii", "iso8859-1"), "cp1252"),
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
}
"""What files mean that declare one of these (Encoding standard, WHATWG), by Python's codecs."""

_MAX_INVALID = 0.05  # share of characters that no text has, of a text file with NUL bytes
_MAX_INVALID_GUESSED = 0.01  # where the encoding is guessed, in which nearly all bytes are letters
_SEQUENCE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_MARKS = re.compile(r"[\s,.;:!?()0-9-]", re.ASCII)  # bytes that are swapped make letters of them
_ASCII = bytes(range(128))  # bytes that say nothing of an encoding
_PROSE = b" abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MOSTLY = 0.7  # share of bytes, of which UTF-16 has at most one half in letters of any script
_PAIRS = frozenset(("cp932", "euc_jp", "gb18030", "big5", "cp949"))
_DAMAGED = 2  # bytes of a letter that is cut, at most, of which the first or the last is there
_CHANCE = 0.1  # of a file's bytes above 127: more pairs are never UTF-8 by chance
_COMPARED = 8192  # characters of two readings of the same lines
_HINT = "Set parse.encoding for its path, or save it as UTF-8"


class DecodedText(NamedTuple):
    """The text of a file, what it was decoded from, and how many characters are none, by reason."""

    text: str
    encoding: Guess
    left_out: Mapping[str, int]


def decode(data: bytes, declared: str | None = None) -> DecodedText:
    """Return the text of a text file, without the characters that no text has.

    `declared` is the encoding that the file says it is in, which it may be wrong about.

    Raises:
        DocumentError: The bytes are binary (code `broken`), or the encoding cannot be told or is
            not what is set (code `encoding`).
    """
    if given := given_encoding.get():
        return _exactly(data, given)
    data = data.removeprefix(codecs.BOM_UTF8)
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _exactly(data, encoding)
    if b"\x00" in data:
        return _with_nul(data, declared)
    text = _strict(data, "utf-8")
    if text is None:
        text = _with_surrogates(data)
    if text is None:
        return _by_line(data, known(declared))
    for escape, encoding in _ESCAPED.items():
        if text.isascii() and escape in data and (read := _strict(data, encoding)) is not None:
            return _decoded(read, encoding)
    return _decoded(text, "utf-8")


def _exactly(data: bytes, encoding: str) -> DecodedText:
    text = _strict(data, encoding)
    if text is None:
        what = f"the file is not text in {encoding}"
        raise DocumentError("encoding", what, hint=_HINT)
    return _decoded(text.removeprefix("\ufeff"), codecs.lookup(encoding).name)


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _with_surrogates(data: bytes) -> str | None:
    """Return UTF-8 in which letters beyond U+FFFF are two halves of UTF-16 (CESU-8, as of Java)."""
    try:
        halves = data.decode("utf-8", "surrogatepass").encode("utf-16-le", "surrogatepass")
    except UnicodeDecodeError:
        return None
    return halves.decode("utf-16-le", "replace")


def _decoded(text: str, encoding: str, confidence: float = 1.0, replaced: int = 0) -> DecodedText:
    text, invalid = without_invalid(text)
    invalid[LeftOut.INVALID_CHARACTERS] += replaced
    return DecodedText(text, Guess(encoding, confidence), invalid)


def known(declared: str | None) -> tuple[str, ...]:
    """Return what a file means by the encoding it declares, if Python has it; none of Unicode."""
    try:
        name = codecs.lookup(declared or "").name
        "".encode(name)
    except (LookupError, ValueError):  # ValueError: a NUL in its name
        return ()
    return () if name.startswith("utf") else (_SUPERSETS.get(name, name),)


def _with_nul(data: bytes, declared: str | None) -> DecodedText:
    """Return text with NUL bytes: UTF-16 or UTF-32 without a mark, or text with a few of them."""
    plain = data.replace(b"\x00", b"")
    stray = len(data) - len(plain)
    if stray > _MAX_INVALID * len(data) and (wide := _wide(data)):
        return wide
    if stray <= _MAX_INVALID * len(data) and (text := _strict(data, "utf-8")) is not None:
        clean = _decoded(text, "utf-8")
        if clean.left_out[LeftOut.INVALID_CHARACTERS] <= _MAX_INVALID * len(text):
            return clean
    if wide := _wide(data):
        return wide
    if stray <= _MAX_INVALID_GUESSED * len(data):
        with suppress(DocumentError):
            found = _by_line(plain, known(declared))
            invalid = found.left_out[LeftOut.INVALID_CHARACTERS] + stray
            if invalid <= _MAX_INVALID_GUESSED * len(data):
                return found._replace(left_out={LeftOut.INVALID_CHARACTERS: invalid})
    what = "the file is not text: it holds NUL bytes"
    raise DocumentError("broken", what, hint="Save it as UTF-8")


def _wide(data: bytes) -> DecodedText | None:
    """Return the text of UTF-16 or UTF-32 without a mark, if it is one that makes sense."""
    if len(data) - len(data.translate(None, _PROSE)) > _MOSTLY * len(data):
        return None
    marks: dict[str, int] = {}
    for encoding in _WIDE_ENCODINGS:
        text = _strict(data, encoding)
        if text is not None and not any(without_invalid(text)[1].values()):
            sample = text[:_COMPARED]
            lines = sample.encode("utf-8", "replace").splitlines()
            if sample.isascii() or detect(lines, among=("utf-8",)):
                marks[encoding] = len(_MARKS.findall(sample))
    return _exactly(data, max(marks, key=marks.__getitem__)) if marks else None


def _by_line(data: bytes, declared: Sequence[str]) -> DecodedText:
    """Return text that is not UTF-8 as a whole: its lines in UTF-8, and the others in another."""
    lines = data.splitlines(keepends=True)
    high = [number for number, line in enumerate(lines) if not line.isascii()]
    damaged = {number for number in high if _is_damaged(lines[number])}
    valid = {n for n in high if n not in damaged and _strict(lines[n], "utf-8") is not None}
    other = [lines[number] for number in high if number not in damaged and number not in valid]
    if not other:
        text = data.decode("utf-8", "replace")
        return _replaced(text, text.count("\ufffd") - data.count("\ufffd".encode()), "utf-8", 1.0)
    guess = detect(other, declared)
    if guess is None:
        what = "the text makes no sense in any encoding that is tried"
        raise DocumentError("encoding", what, hint=_HINT)
    in_utf8 = [lines[number] for number in sorted(valid | damaged)]
    if not _are_utf8(in_utf8, other, guess.encoding):
        text = data.decode(guess.encoding, "replace")
        return _replaced(text, text.count("\ufffd"), *guess)
    texts = [
        line.decode("utf-8" if number in valid or number in damaged else guess.encoding, "replace")
        for number, line in enumerate(lines)
    ]
    text = "".join(texts)
    return _replaced(text, text.count("\ufffd"), f"utf-8+{guess.encoding}", guess.confidence)


def _is_damaged(line: bytes) -> bool:
    """Tell whether a line is UTF-8 with a few bytes that are not."""
    sequences = sum(map(len, _SEQUENCE.findall(line)))
    wrong = _high(line) - sequences
    return 0 < wrong <= max(_DAMAGED, sequences // 10) and wrong < sequences


def _are_utf8(lines: Sequence[bytes], others: Sequence[bytes], encoding: str) -> bool:
    """Tell whether lines that may be UTF-8 are, and not in the encoding of the other lines.

    They are if they say no less in UTF-8. A few pairs of bytes may be UTF-8 by chance.
    """
    data = b"".join(lines)[:_COMPARED]
    if encoding in _PAIRS and _high(data) < _CHANCE * _high(b"".join(others)):
        return False
    in_utf8, in_other = (
        language_evidence(data.decode(one, "ignore")) for one in ("utf-8", encoding)
    )
    return bool(lines) and in_utf8 >= in_other


def _high(data: bytes) -> int:
    return len(data.translate(None, _ASCII))


def _replaced(text: str, count: int, encoding: str, confidence: float) -> DecodedText:
    """Return text in which bytes that are no character are marked, if they are few."""
    if count > max(1, _MAX_INVALID_GUESSED * len(text)):
        what = f"{count} places of the file are not text in {encoding}, which the rest is in"
        raise DocumentError("encoding", what, hint=_HINT)
    return _decoded(text, encoding, confidence, count)
