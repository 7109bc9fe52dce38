"""Slips of the pen: rare words one letter away from a word that the corpus often writes.

Only what fingers do is a slip: a letter left out, doubled or put in, or two letters exchanged. A
letter for another is none, for that is how different words differ ("content", "context"). What is
meant is a word that the corpus itself writes often; a word of the language is never a slip.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

from graphrag_tasks.language.forms import WORD

_SHORTEST = 7
_RAREST = 3
_TIMES_AS_OFTEN = 4


def words_of(names: Iterable[str]) -> Iterator[str]:
    """Yield the words of names in small letters, but for first ones that may themselves be names.

    A first word that is written with a capital is a name, and no slip of a common word.
    """
    small = []
    for name in names:
        if name.isascii() and name.islower():  # most are
            small.append(name)
            continue
        for word in WORD.findall(name):
            if word.islower() or not name.startswith(word):
                yield word.lower()
    yield from WORD.findall("\n".join(small))


def find_slips(counts: Mapping[str, int], is_known: Callable[[str], bool]) -> dict[str, str]:
    """Return the word meant by each slip.

    Args:
        counts: How often each word occurs in names, in small letters.
        is_known: Whether a word is one of the language.

    Returns:
        The frequent word for each rare one that has exactly one candidate.
    """
    frequent: dict[str, list[str]] = defaultdict(list)
    for word, count in counts.items():
        if count >= _TIMES_AS_OFTEN and len(word) >= _SHORTEST - 1:
            for form in _deletions(word):
                frequent[form].append(word)
    slips: dict[str, str] = {}
    for word, count in counts.items():
        if count > _RAREST or len(word) < _SHORTEST or not word.isalpha() or is_known(word):
            continue
        meant = {
            other
            for form in _deletions(word)
            for other in frequent.get(form, ())
            if counts[other] >= _TIMES_AS_OFTEN * count and _is_slip(word, other)
        }
        if len(meant) == 1:
            slips[word] = meant.pop()
    return slips


def _deletions(word: str) -> Iterator[str]:
    yield word
    for place in range(1, len(word)):
        yield word[:place] + word[place + 1 :]


def _is_slip(word: str, meant: str) -> bool:
    """Return whether one letter more, one less, or an exchange inside the word tells them apart."""
    if word == meant or abs(len(word) - len(meant)) > 1:
        return False
    start = next(i for i in range(len(word) + 1) if word[i : i + 1] != meant[i : i + 1])
    if start == 0 or start >= min(len(word), len(meant)):  # the ends of words are inflected
        return False
    if len(word) == len(meant):
        exchanged = word[start + 1 : start + 2] + word[start : start + 1] + word[start + 2 :]
        return exchanged == meant[start:]
    longer, shorter = (word, meant) if len(word) > len(meant) else (meant, word)
    return longer[start + 1 :] == shorter[start:]
