"""Pairs of nearly equal sentences of two versions of a document, and what differs between them.

Equal sentences say nothing of a change. Of the others those that share most words are paired, each once; rows of tables
only if they have the same first cell.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from graphrag_tasks.core.schemas import CELL_SEPARATOR
from graphrag_tasks.language.bm25 import STOP_WORDS, terms
from graphrag_tasks.language.dictionary import shares_of_nouns
from graphrag_tasks.language.names import singular_noun

NUMBER, VALUE, NAME, WORDING = "number", "value", "name", "wording"
_ORDER = (NUMBER, VALUE, NAME, WORDING)

_MOST_CHANGED, _MOST_REPLACED = 6, 3
"""Most words of a changed span, and of one that is a literal; longer ones are other statements. Chosen on releases
of three manuals."""
_NEAR = 3  # Words before a span that may say that it is a reference.
_SHORTEST = 3  # Letters of the shortest abbreviation.

_WORD = re.compile(r"(?<![\w-])-{1,2}\w+(?:-\w+)*|\w+(?:[.'’_/:-]\w+)*(?:\(\))?|[%€$£]")
_FOOTNOTE = re.compile(r"\[\d+\]|^\d+\]")
_NUMBER, _SIGN = re.compile(r"\d"), re.compile(r"\w[._/:]\w|\(\)|_|^-")
_COUNTED = """
zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty
hundred thousand million half twice once
"""
_NUMBER_WORDS = frozenset(_COUNTED.split())
_SAID = """
yes no not never always must may should cannot enabled disabled required optional mandatory
deprecated removed allowed forbidden supported unsupported minimum maximum first last
second minute hour day night week month quarter year hourly daily nightly weekly monthly quarterly
yearly annually seconds minutes hours days nights weeks months quarters years
"""
_VALUES = frozenset(_SAID.split())
_LITERALS = frozenset(("true", "false", "none", "null"))  # Values that count only in the place of others.
_REFERS = frozenset(("see", "refer", "pep", "rfc"))


def words_of(text: str) -> list[str]:
    """Return the words of a sentence, with options and code names as they are."""
    return _WORD.findall(_FOOTNOTE.sub(" ", text))


def difference(before: str, after: str) -> tuple[str, str, str]:
    """Return the kind of a difference, the words that went, and those that came."""
    one, other = words_of(before), words_of(after)
    lower = [[word.lower() for word in words] for words in (one, other)]
    matcher = SequenceMatcher(None, lower[0], lower[1], autojunk=False)
    is_row = CELL_SEPARATOR in after
    best: tuple[str, Sequence[str], Sequence[str]] = (WORDING, (), ())
    for tag, start, end, first, last in matcher.get_opcodes():
        gone, came = one[start:end], other[first:last]
        if tag == "equal" or _is_same(gone, came):
            continue
        at_edge = start == 0 or first == 0 or end == len(one) or last == len(other)
        lead = {word.lower() for word in (*one[max(0, start - _NEAR) : start], *gone, *came)}
        if (at_edge and not is_row and not (gone and came)) or lead & _REFERS:
            kind = WORDING
        else:
            kind = _kind(gone, came, begins=not start or not first)
        if (not best[1] and not best[2]) or _ORDER.index(kind) < _ORDER.index(best[0]):
            best = (kind, gone, came)
    return best[0], " ".join(best[1]), " ".join(best[2])


def _is_same(gone: Sequence[str], came: Sequence[str]) -> bool:
    """Tell whether words differ by spelling, form, hyphens and stop words alone."""
    if len(gone) == len(came) and all(map(_is_one, gone, came)):
        return True
    return _root(gone) == _root(came)


def _is_one(word: str, other: str) -> bool:
    """Tell whether two words are one: `autodoc` and `sphinx.ext.autodoc`, bool and Boolean."""
    short, long = sorted((word.lower(), other.lower()), key=len)
    if short == long or long.endswith(f".{short}") or _root([short]) == _root([long]):
        return True
    if not (short.isalpha() and long.isalpha()) or len(short) < _SHORTEST or short[0] != long[0]:
        return False
    letters = iter(long)
    return len(long) > len(short) + 1 and all(letter in letters for letter in short)


def _root(words: Sequence[str]) -> str:
    kept = (word.lower() for word in words)
    return "".join(
        word if word in _VALUES else "".join(terms(re.sub(r"(?<=\w)[-_]", "", word)))
        for word in kept
        if word in _VALUES or word not in STOP_WORDS
    )


def _kind(gone: Sequence[str], came: Sequence[str], *, begins: bool) -> str:
    both = [*gone, *came]
    lower = {word.lower() for word in both}
    if max(len(gone), len(came)) > _MOST_CHANGED:
        return WORDING
    if any(map(_NUMBER.search, both)) or lower & _NUMBER_WORDS:
        return NUMBER
    if lower & _VALUES or (gone and came and lower & _LITERALS):
        return VALUE
    names = [*gone[begins:], *came[begins:]]
    if any(_SIGN.search(word) for word in both) or any(word[:1].isupper() for word in names):
        return NAME
    is_literal = gone and came and not all(map(_is_usual, both))
    return NAME if is_literal and max(len(gone), len(came)) <= _MOST_REPLACED else WORDING


def _is_usual(word: str) -> bool:
    """Tell whether a word is one of general English; others are literals."""
    lower = word.lower()
    parts = lower.split("-")
    return lower in STOP_WORDS or all(singular_noun(one) in shares_of_nouns() for one in parts)


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
