"""Detect the encoding of text that is not UTF-8.

Every candidate encoding is decoded, and py3langid scores how clearly the result is in one language: a wrong encoding
loses the letters that tell languages apart. charset-normalizer takes French for Baltic, and German from a Mac for
Korean: of 136 files in 34 encodings it reads 100 correctly.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

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
