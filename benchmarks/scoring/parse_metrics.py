"""Measures of what a parser reads, against a reference: pure functions of texts and lists.

Both sides go through the same functions. A *word* is a run of letters and digits after NFKC and case folding;
punctuation is no word. Undefined figures are None and stay out of means: a document whose reference and result both
lack headings says nothing about headings.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence

_TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")
_WORD = re.compile(r"[^\W_]+")
_LIKE = (
    dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b"), "'")
    | dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f"), '"')
    | dict.fromkeys((*range(0x2010, 0x2016), 0x2212), "-")
    | dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\ufeff"), "")
)
_NUMBERING = re.compile(
    r"^(?:(?:chapter|section|part|appendix|annex)\s+(?:[0-9]+|[a-z]\b)|[0-9]+|[a-z](?=[.:]))"
    r"(?:\.[0-9]+)*[.:)]?\s+"
)


def normalised(text: str) -> str:
    """Return text after NFKC and case folding, with one form of quotes, dashes and spaces."""
    return unicodedata.normalize("NFKC", text.translate(_LIKE)).casefold().translate(_LIKE)


def words(text: str) -> list[str]:
    """Return the words of a text in order."""
    return _WORD.findall(normalised(text))


def similarity(text: str, reference: str) -> float | None:
    """Return the normalised indel similarity of two texts' characters.

    That is 2 · LCS / (length + length of the reference), where LCS is the length of the longest common subsequence of
    characters. Words and punctuation marks are set apart by single spaces first, so that blank space and line ends make
    no difference. None when both are empty.
    """
    found, wanted = (" ".join(_TOKEN.findall(normalised(one))) for one in (text, reference))
    return in_order_f1(found, wanted)


def bag_f1(found: Iterable[Hashable], wanted: Iterable[Hashable]) -> float | None:
    """Return the F1 of two multisets, whatever their order; None when both are empty."""
    counted, reference = Counter(found), Counter(wanted)
    return _f1((counted & reference).total(), counted.total(), reference.total())


def in_order_f1(found: Sequence[Hashable], wanted: Sequence[Hashable]) -> float | None:
    """Return the F1 of two sequences, where what is in the longest common subsequence is right.

    What was read in the wrong order counts as wrong. None when both are empty.
    """
    return _f1(common_length(found, wanted), len(found), len(wanted))


def precision_recall(found: Iterable[Hashable], wanted: Iterable[Hashable]) -> tuple[float | None, float | None]:
    """Return precision and recall of two multisets; None where nothing was found, or wanted."""
    counted, reference = Counter(found), Counter(wanted)
    common = (counted & reference).total()
    return (common / counted.total() if counted else None, common / reference.total() if reference else None)


def common_length(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence.

    The bit-parallel algorithm of Hyyrö (2004), on Python's integers as bit vectors: a zero bit of `row` is a place of
    `left` where the subsequence grows. Exact, unlike `difflib`, whose blocks need not make the longest one; two texts
    of 100,000 characters take about two seconds.
    """
    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, one in enumerate(left):
        places[one].append(place)
    masks = {one: _bits(found, len(left)) for one, found in places.items()}
    full = row = (1 << len(left)) - 1
    for one in right:
        if mask := masks.get(one):
            matches = row & mask
            row = ((row + matches) | (row - matches)) & full
    return len(left) - row.bit_count()


def heading_key(text: str) -> str:
    """Return what headings and bookmarks are compared by: letters and digits, without a number.

    They differ in numbering ("Scope", "1.1. Scope"), so it goes from both, and in blank space, where a printed heading
    is broken into lines. A heading that is all number keeps it.
    """
    bare = _NUMBERING.sub("", " ".join(normalised(text).split()))
    return "".join(words(bare) or words(text))


def _bits(places: Iterable[int], length: int) -> int:
    digits = bytearray(length // 8 + 1)
    for place in places:
        digits[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(digits, "little")


def _f1(common: int, found: int, wanted: int) -> float | None:
    return 2 * common / (found + wanted) if found + wanted else None
