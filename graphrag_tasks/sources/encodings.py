"""Decode text files, from a known encoding or by detection.

In this order: the setting `parse.encoding`, a byte-order mark, UTF-8, and detection, which prefers the encoding that
the file declares. A file that is UTF-8 except for some lines is decoded line by line. Text that is implausible in every
encoding is refused.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.left_out import LeftOut

_ENCODINGS = (
    *("cp1252", "cp1251", "cp932", "euc_jp", "gb18030", "big5", "cp949", "cp1250", "iso8859-2"),
    *("koi8-r", "koi8-u", "cp1253", "iso8859-7", "cp1256", "cp1254", "cp1255", "cp1257"),
    *("iso8859-15", "iso8859-5", "iso8859-6", "cp874", "mac-roman", "mac-cyrillic", "cp850"),
    *("cp866", "cp852", "cp437"),
)
"""Codecs that are tried, preferred first: those of the Encoding standard (WHATWG), without near copies, and those of
DOS."""

_SAMPLE_BYTES = 8192  # which a language is clear from; the rest of a file only takes time
_LINE_BYTES = 1024  # of a line, so that one without ends is not the whole sample
_TAG = re.compile(rb"<[^<>\x80-\xff]*>")  # no encoding here has < as a part of a letter
_PER_ODDITY = 15  # of evidence: as much as a wrong letter gains
_MOST_ODD = 0.1  # of the characters that are not ASCII
_LEAST_CONFIDENCE = 0.6  # below it three words of prose are wrong nearly as often as right
_LEAST_CONFIDENCE_DEFAULT = 0.25  # for Windows-1252, where a few signs in English tell little
_FAVOUR = 10  # for what something speaks for: one letter more, which many wrong ones outweigh
_FEW_BYTES = 8  # which say nothing where hardly a letter is ASCII: one word may be in any script

_LOWER, _UPPER = (
    "".join(char for char in map(chr, range(128, 0x530)) if is_case(char)) for is_case in (str.islower, str.isupper)
)
_OTHER = "\u0370-\u03ff\u0400-\u052f\u0591-\u06ff\u0e01-\u0e4e"  # Greek to Thai
_ODD = re.compile(
    "[\x7f-\x84\x86-\x9f\ufffd\ue000-\uf8ff¤¦\u2500-\u259f]"  # nobody writes them
    r"|(?<=[^\W\d_])[¡-¬®-¶\xb8-\xbb¿×÷\u02b0-\u02ff“”„\u201a\u2039\u203a†‡•‰€™\u2200-\u22ff]"
    r"(?=[^\W\d_])"  # in a word
    f"|(?<=[a-z{_LOWER}])[{_UPPER}]"
    f"|[A-Za-zÀ-ɏ](?=[{_OTHER}])|[{_OTHER}](?=[A-Za-zÀ-ɏ])"  # scripts of one word
    "|(?<![\u0e01-\u0e2e\u0e31-\u0e3a\u0e47-\u0e4e])[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]"  # Thai
    "|[ฃฅฆฌฎฏฐฑฒฤฦฬฯ๏\u0e50-\u0e59๚๛]|[เ-ไ](?![ก-ฮ])"  # rare in Thai, and all over what is none
    "|(?<=[a-z])[\u3400-\u9fff\uac00-\ud7a3](?=[a-z])"
    "|(?<![\u05d0-\u05ea\u05b0-\u05c7])[\u05b0-\u05c7]|[ךםןףץ](?=[א-ת])"  # Hebrew
    "|(?<![\u0621-\u0652])[\u064b-\u0652]|ς(?=[\u03ac-\u03ce])"  # Arabic, Greek
)
"""Characters that are implausible in text, or at this place in a word."""

_QUOTES = "“”„‘’–—…\xa0"
_TYPOGRAPHIC = re.compile(f"(?:[\x00-\x7f]|[{_QUOTES}«»]|[°€£§©®™•·¡¿±×½¼²³µ¢¥\xad](?=[\x00-\x7f]|$))*+")
"""Text that is ASCII except for typographic signs, as in Windows-1252."""


class Guess(NamedTuple):
    """An encoding by its Python codec name, and a confidence of 0 to 1 among the candidates."""

    encoding: str
    confidence: float


class _Judged(NamedTuple):
    encoding: str
    score: float


def detect(lines: Iterable[bytes], also: Sequence[str] = (), among: Sequence[str] = _ENCODINGS) -> Guess | None:
    """Return the encoding of lines with bytes above 127; None if no candidate is plausible.

    `also` are preferred encodings: they win over nearly equal ones, and for short texts.
    """
    sample = list(_sample(lines))
    length = sum(map(len, sample))
    judged = _judged(sample, [*also, *(one for one in among if one not in also)], frozenset(also))
    if not judged:
        return None
    best = max(judged, key=lambda one: one.score)
    scale = math.sqrt(length)  # as py3langid makes probabilities of its scores
    total = sum(math.exp((one.score - best.score) / scale) for one in judged)
    confidence = 1 / total
    if best.encoding in also:
        is_sure = True
    elif best.encoding == "cp1252":
        is_sure = confidence >= _LEAST_CONFIDENCE_DEFAULT
    else:
        is_sure = confidence >= _LEAST_CONFIDENCE and not _says_little(b"".join(sample))
    return Guess(best.encoding, confidence) if is_sure and best.score > 0 else None


def _says_little(sample: bytes) -> bool:
    letters = sum(chr(byte).isalpha() for byte in sample if byte < 128)
    high = sum(byte > 127 for byte in sample)
    return letters < high < _FEW_BYTES


def language_evidence(text: str) -> float:
    """Return how clearly a text is in one language: log-likelihood of the best minus the median."""
    found = [score for _, score in _identifier().rank(text)]
    return float(found[0] - found[len(found) // 2])


def _sample(lines: Iterable[bytes]) -> Iterable[bytes]:
    cut = [_TAG.sub(b" ", line[:_LINE_BYTES]) for line in lines]
    step = -(-sum(map(len, cut)) // _SAMPLE_BYTES) or 1
    return islice(cut, 0, None, step)


def _judged(sample: Sequence[bytes], encodings: Iterable[str], favoured: frozenset[str]) -> list[_Judged]:
    """Return the encodings in which the sample is plausible text; of equal texts, the first."""
    judged: dict[str, _Judged] = {}
    for encoding in encodings:
        text = "\n".join(_decoded(line, encoding) for line in sample)
        if text in judged or not text.strip():
            continue
        foreign = "".join(char for char in text if not char.isascii())
        odd = len(_ODD.findall(text))
        if odd > max(1, _MOST_ODD * len(foreign)):
            continue
        score = language_evidence(text) - _PER_ODDITY * odd + _FAVOUR * (encoding in favoured)
        if encoding == "cp1252" and not odd:
            is_signs = _TYPOGRAPHIC.fullmatch(text) is not None
            score += _FAVOUR * (3 * is_signs or len(foreign) < _FEW_BYTES)
        judged[text] = _Judged(encoding, score)
    return list(judged.values())


def _decoded(line: bytes, encoding: str) -> str:
    return codecs.getincrementaldecoder(encoding)("replace").decode(line)


@cache
def _identifier() -> Any:  # noqa: ANN401 - an untyped library
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE)


given_encoding: ContextVar[str | None] = ContextVar("given_encoding", default=None)
"""The value of `parse.encoding` for the current document."""

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE_ENCODINGS = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
_ESCAPED = {b"\x1b$)C": "iso2022_kr", b"\x1b$": "iso2022_jp_2"}
"""Escape sequences of Korean and Japanese in ASCII-only encodings (RFC 1557 and 1554)."""

_SUPERSETS = {
    **dict.fromkeys(("ascii", "iso8859-1"), "cp1252"),
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
}
"""Encodings that files mean when they declare a subset (Encoding standard, WHATWG)."""

_MAX_INVALID = 0.05  # share of characters that no text has, of a text file with NUL bytes
_MAX_INVALID_GUESSED = 0.01  # where the encoding is guessed, in which nearly all bytes are letters
_SEQUENCE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_MARKS = re.compile(r"[\s,.;:!?()0-9-]", re.ASCII)  # bytes that are swapped make letters of them
_ASCII = bytes(range(128))  # bytes that say nothing of an encoding
_PROSE = b" abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MOSTLY = 0.7  # share of bytes, of which UTF-16 has at most one half in letters of any script
_PAIRS = frozenset(("cp932", "euc_jp", "gb18030", "big5", "cp949"))
_DAMAGED = 2  # bytes of a letter that is cut, at most, of which the first or the last is there
_CHANCE = 0.1  # of a file's bytes above 127: more pairs are never UTF-8 by chance
_COMPARED = 8192  # characters of two readings of the same lines
_TERMINAL = re.compile(r"\x1b(?:\[[0-9:;<=>?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))|[^\n]\x08")
"""What colours a terminal's text (ECMA-48), titles its window, or is printed over."""
_INVALID = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_HINT = "Set parse.encoding for its path, or save it as UTF-8"


class DecodedText(NamedTuple):
    """Text of a file, its encoding, and the number of invalid characters removed, by reason."""

    text: str
    encoding: Guess
    left_out: Mapping[str, int]


def without_invalid(text: str) -> tuple[str, dict[str, int]]:
    """Remove invalid characters, and return their number."""
    if "\x1b" in text or "\b" in text:
        text = _TERMINAL.sub("", text)
    clean, count = _INVALID.subn("", text)
    return clean, {LeftOut.INVALID_CHARACTERS: count}


def decode(data: bytes, declared: str | None = None) -> DecodedText:
    """Decode a text file, and remove invalid characters.

    `declared` is the encoding that the file itself declares, which may be wrong.
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
            return _decoded_text(read, encoding)
    return _decoded_text(text, "utf-8")


def _exactly(data: bytes, encoding: str) -> DecodedText:
    text = _strict(data, encoding)
    if text is None:
        what = f"the file is not text in {encoding}"
        raise DocumentError("encoding", what, hint=_HINT)
    return _decoded_text(text.removeprefix("\ufeff"), codecs.lookup(encoding).name)


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _with_surrogates(data: bytes) -> str | None:
    """Decode UTF-8 with UTF-16 surrogate pairs (CESU-8, as Java writes it)."""
    try:
        halves = data.decode("utf-8", "surrogatepass").encode("utf-16-le", "surrogatepass")
    except UnicodeDecodeError:
        return None
    return halves.decode("utf-16-le", "replace")


def _decoded_text(text: str, encoding: str, confidence: float = 1.0, replaced: int = 0) -> DecodedText:
    text, invalid = without_invalid(text)
    invalid[LeftOut.INVALID_CHARACTERS] += replaced
    return DecodedText(text, Guess(encoding, confidence), invalid)


def known(declared: str | None) -> tuple[str, ...]:
    """Return the codec of a declared encoding, if Python has it; empty for Unicode encodings."""
    try:
        name = codecs.lookup(declared or "").name
        "".encode(name)
    except (LookupError, ValueError):  # ValueError: a NUL in its name
        return ()
    return () if name.startswith("utf") else (_SUPERSETS.get(name, name),)


def _with_nul(data: bytes, declared: str | None) -> DecodedText:
    plain = data.replace(b"\x00", b"")
    stray = len(data) - len(plain)
    if stray > _MAX_INVALID * len(data) and (wide := _wide(data)):
        return wide
    if stray <= _MAX_INVALID * len(data) and (text := _strict(data, "utf-8")) is not None:
        clean = _decoded_text(text, "utf-8")
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
    """Decode UTF-16 or UTF-32 without a byte-order mark; None if the text is implausible."""
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
    """Decode mixed text: some lines are UTF-8, the others are in one other encoding."""
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
    sequences = sum(map(len, _SEQUENCE.findall(line)))
    wrong = _high(line) - sequences
    return 0 < wrong <= max(_DAMAGED, sequences // 10) and wrong < sequences


def _are_utf8(lines: Sequence[bytes], others: Sequence[bytes], encoding: str) -> bool:
    """Tell whether lines that are valid UTF-8 are really UTF-8, not the encoding of the others.

    They are if their text is at least as plausible in UTF-8. A few byte pairs may be valid by chance.
    """
    data = b"".join(lines)[:_COMPARED]
    if encoding in _PAIRS and _high(data) < _CHANCE * _high(b"".join(others)):
        return False
    in_utf8, in_other = (language_evidence(data.decode(one, "ignore")) for one in ("utf-8", encoding))
    return bool(lines) and in_utf8 >= in_other


def _high(data: bytes) -> int:
    return len(data.translate(None, _ASCII))


def _replaced(text: str, count: int, encoding: str, confidence: float) -> DecodedText:
    if count > max(1, _MAX_INVALID_GUESSED * len(text)):
        what = f"{count} places of the file are not text in {encoding}, which the rest is in"
        raise DocumentError("encoding", what, hint=_HINT)
    return _decoded_text(text, encoding, confidence, count)
