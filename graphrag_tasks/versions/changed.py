"""Pairs of nearly equal sentences of two versions of a document, and what differs in them.

Equal sentences say nothing of a change. Of the others those that share most words are paired, each
once. What differs is a change if it is short and says something: a number, a name or a value, not
only a spelling.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from graphrag_tasks.language.bm25 import terms

LEAST_SHARED, LEAST_RATIO = 0.35, 0.75
"""Least Jaccard similarity of the words of a pair, and least share of equal words in order; chosen
on two releases of one manual."""
_MOST_CHANGED = 6
"""Most words of a changed span; a longer one is another statement. Chosen, too."""
_RAREST = 6
"""Rarest words of a sentence by which others are sought."""

_WORD = re.compile(r"\w+(?:[.'’_/:-]\w+)*(?:\(\))?|[%€$£]")
_NUMBER, _SIGN = re.compile(r"\d"), re.compile(r"\w[._/:]\w|\(\)|_")
_COUNTED = """
zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty
hundred thousand million half twice once
"""
_NUMBER_WORDS = frozenset(_COUNTED.split())
_SAID = """
true false none null yes no not never always must may should can cannot enabled disabled required
optional deprecated removed allowed forbidden supported unsupported minimum maximum
"""
_VALUES = frozenset(_SAID.split())
NUMBER, VALUE, NAME, WORDING = "number", "value", "name", "wording"


@dataclass(frozen=True)
class Pair:
    """Two sentences, by position in the older and newer list, and what differs in them.

    `kind` is number, value, name or wording; `before` and `after` are the differing words.
    """

    older: int
    newer: int
    kind: str
    before: str
    after: str


def pairs(older: Sequence[str], newer: Sequence[str]) -> Iterator[Pair]:
    """Yield the pairs of nearly equal, but not equal sentences, in the order of the newer list."""
    left, right = _remaining(older, newer)
    words = {(0, row): _words(older[row]) for row in left} | {
        (1, row): _words(newer[row]) for row in right
    }
    found = []
    for old, new in _candidates(words, left, right):
        ratio = _ratio(words[0, old], words[1, new])
        if ratio >= LEAST_RATIO:
            found.append((-ratio, abs(old - new), new, old))
    used: set[tuple[int, int]] = set()
    chosen = []
    for _, _, new, old in sorted(found):
        if (0, old) not in used and (1, new) not in used:
            used |= {(0, old), (1, new)}
            chosen.append((new, old))
    for new, old in sorted(chosen):
        yield _pair(old, new, older[old], newer[new])


def plain(text: str) -> str:
    """Return a text as it is compared: words alone, in small letters."""
    return " ".join(word.lower() for word in _WORD.findall(text))


def _remaining(older: Sequence[str], newer: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the rows of each list that have no equal in the other one."""
    before, after = [plain(text) for text in older], [plain(text) for text in newer]
    known, known_after = set(before), set(after)
    return (
        [row for row, text in enumerate(before) if text and text not in known_after],
        [row for row, text in enumerate(after) if text and text not in known],
    )


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _candidates(
    words: dict[tuple[int, int], list[str]], left: Sequence[int], right: Sequence[int]
) -> Iterator[tuple[int, int]]:
    counts = Counter(word for one in words.values() for word in set(one))
    with_word: dict[str, list[int]] = defaultdict(list)
    for row in left:
        for word in _rarest(words[0, row], counts):
            with_word[word].append(row)
    for new in right:
        own = set(words[1, new])
        near = {old for word in own for old in with_word.get(word, ())}
        for old in sorted(near):
            other = set(words[0, old])
            if len(own & other) >= LEAST_SHARED * len(own | other):
                yield old, new


def _rarest(words: Sequence[str], counts: Counter[str]) -> list[str]:
    shared = [word for word in set(words) if counts[word] > 1]
    return sorted(shared, key=lambda word: (counts[word], word))[:_RAREST]


def _ratio(one: Sequence[str], other: Sequence[str]) -> float:
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= LEAST_RATIO else 0.0


def _pair(old: int, new: int, before: str, after: str) -> Pair:
    one, other = _WORD.findall(before), _WORD.findall(after)
    lower = [[word.lower() for word in words] for words in (one, other)]
    matcher = SequenceMatcher(None, lower[0], lower[1], autojunk=False)
    spans, kinds = [], []
    for tag, start, end, first, last in matcher.get_opcodes():
        gone, came = one[start:end], other[first:last]
        if tag == "equal" or not _says(gone, came):
            continue
        kind = _kind(gone, came, begins=not start and not first)
        at_edge = start in (0, len(one)) or end == len(one) or first == 0 or last == len(other)
        if kind != NUMBER and at_edge and not (gone and came):
            kind = WORDING  # where a sentence was cut differs
        spans.append((gone, came))
        kinds.append(kind)
    best = min(range(len(spans)), key=lambda place: _ORDER.index(kinds[place]), default=None)
    if best is None:
        return Pair(old, new, WORDING, "", "")
    gone, came = spans[best]
    kind = kinds[best] if max(len(gone), len(came)) <= _MOST_CHANGED else WORDING
    return Pair(old, new, kind, " ".join(gone), " ".join(came))


_ORDER = (NUMBER, VALUE, NAME, WORDING)


def _says(gone: Sequence[str], came: Sequence[str]) -> bool:
    """Tell whether words differ by more than spelling, number, hyphens and stop words."""
    return _root(gone) != _root(came)


def _root(words: Sequence[str]) -> str:
    roots = [
        word.lower() if word.lower() in _VALUES else "".join(terms(re.sub(r"[-_]", "", word)))
        for word in words
    ]
    return "".join(roots)


def _kind(gone: Sequence[str], came: Sequence[str], *, begins: bool) -> str:
    both = [*gone, *came]
    lower = {word.lower() for word in both}
    if any(map(_NUMBER.search, both)) or lower & _NUMBER_WORDS:
        return NUMBER
    if lower & _VALUES:
        return VALUE
    names = [*gone[begins:], *came[begins:]]
    if any(_SIGN.search(word) for word in both) or any(word[:1].isupper() for word in names):
        return NAME
    return WORDING
