"""Pairs of nearly equal sentences of two versions of a document.

Equal sentences say nothing of a change. Of the others those that share most words are paired, each once; rows of tables
only if they have the same first cell.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from graphrag_tasks.core.schemas import CELL_SEPARATOR
from graphrag_tasks.versions.differences import difference, words_of

LEAST_SHARED, LEAST_RATIO = 0.35, 0.75
"""Least Jaccard similarity of the words of a pair, and least share of equal words in order; chosen on two releases
of one manual."""
_RAREST = 6  # Rarest words of a sentence by which others are sought.
_LEAST_WORDS = 5  # Words of a sentence; shorter ones are heads such as "Changed in version 2.0:".


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
    words = {(0, row): _words(older[row]) for row in left} | {(1, row): _words(newer[row]) for row in right}
    found = []
    keys = [Counter(filter(None, map(_key, texts))) for texts in (older, newer)]
    for old, new in _candidates(words, left, right):
        key = _key(newer[new])
        if _key(older[old]) != key or (key and {counts[key] for counts in keys} != {1}):
            continue
        two = words[0, old], words[1, new]
        ratio = _ratio(*two) if key or min(map(len, two)) >= _LEAST_WORDS else 0.0
        if ratio >= LEAST_RATIO:
            found.append((-ratio, abs(old - new), new, old))
    used: set[tuple[int, int]] = set()
    chosen = []
    for _, _, new, old in sorted(found):
        if (0, old) not in used and (1, new) not in used:
            used |= {(0, old), (1, new)}
            chosen.append((new, old))
    for new, old in sorted(chosen):
        yield Pair(old, new, *difference(older[old], newer[new]))


def plain(text: str) -> str:
    """Return a text as it is compared: words alone, in small letters."""
    return " ".join(_words(text))


def _remaining(older: Sequence[str], newer: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the rows of each list that have no equal in the other one."""
    before, after = [plain(text) for text in older], [plain(text) for text in newer]
    known, known_after = set(before), set(after)
    return (
        [row for row, text in enumerate(before) if text and text not in known_after],
        [row for row, text in enumerate(after) if text and text not in known],
    )


def _words(text: str) -> list[str]:
    return [word.lower() for word in words_of(text)]


def _key(text: str) -> str:
    """Return the first cell of a table's row; "" for other sentences."""
    first, is_row, _ = text.partition(CELL_SEPARATOR)
    return first.casefold() if is_row else ""


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
