"""Select among candidate questions: distinct, balanced, and by a seed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from graphrag_tasks.core.ids import content_id
from graphrag_tasks.workbench.questions.candidates import (
    GLOBAL,
    LISTING,
    MULTI_HOP,
    SINGLE,
    TYPES,
    UNANSWERABLE,
    Candidate,
    Stretch,
    Type,
    content_words,
    near,
)

SHARES: Mapping[Type, float] = {
    SINGLE: 0.4, MULTI_HOP: 0.15, LISTING: 0.15, GLOBAL: 0.1, UNANSWERABLE: 0.2,
}  # fmt: skip
"""Wanted share of each type. Single facts are what most people ask, and what rules make best; a fifth of
unanswerable questions suffices to measure refusals. Not tuned."""

_ALIKE = 0.75  # Jaccard similarity from which two questions are nearly equal.
_MOST_OF_SUBJECT = 2  # Most questions about one name.


def drawn(candidates: Sequence[Candidate], number: int, seed: int) -> list[Candidate]:
    """Return at most `number` candidates, by the `SHARES` of their types if possible.

    Other types fill gaps. Documents and rules alternate; the seed decides ties. Ordered by type, then as drawn.
    """
    pools: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in _unambiguous(candidates):
        pools[candidate.type].append(candidate)
    taken = _Taken(seed)
    wanted = shares(number)
    for kind in TYPES:
        taken.take(pools[kind], wanted[kind])
    for kind in TYPES:
        taken.take(pools[kind], number - len(taken.found))
    return sorted(taken.found, key=lambda candidate: TYPES.index(candidate.type))


def shares(number: int) -> dict[Type, int]:
    """Return the wanted number of each type, by the largest remainder."""
    exact = {kind: number * share for kind, share in SHARES.items()}
    found = {kind: int(one) for kind, one in exact.items()}
    rest = sorted(SHARES, key=lambda kind: (found[kind] - exact[kind], TYPES.index(kind)))
    for kind in rest[: number - sum(found.values())]:
        found[kind] += 1
    return found


class _Taken:
    def __init__(self, seed: int) -> None:
        self.found: list[Candidate] = []
        self._seed = seed
        self._words: list[frozenset[str]] = []
        self._golds: set[tuple[tuple[Stretch, ...], ...]] = set()
        self._subjects: Counter[str] = Counter()
        self._documents: Counter[str] = Counter()
        self._rules: Counter[tuple[str, str]] = Counter()

    def take(self, pool: Sequence[Candidate], most: int) -> None:
        taken = {candidate.question for candidate in self.found}
        rest = {candidate.question: candidate for candidate in pool if candidate.question not in taken}
        chance = {one: content_id("draw", self._seed, one) for one in rest}
        while most > 0 and rest:
            best = min(rest, key=lambda one: (*self._uses(rest[one]), chance[one]))
            one = rest.pop(best)
            words = content_words(one.question)
            if one.gold and one.gold in self._golds:
                continue
            if near(words, self._words, _ALIKE) or self._subjects[one.subject] >= _MOST_OF_SUBJECT:
                continue
            most -= 1
            self._golds.add(one.gold)
            self.found.append(one)
            self._words.append(words)
            self._subjects[one.subject] += 1
            self._rules[one.type, one.rule] += 1
            self._documents.update(one.documents)

    def _uses(self, one: Candidate) -> tuple[int, int, int]:
        documents = sum(self._documents[document] for document in one.documents)
        return self._rules[one.type, one.rule], documents, self._subjects[one.subject]


def _unambiguous(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield one candidate for each question with a single answer."""
    by_question: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_question[candidate.question.casefold()].append(candidate)
    for some in by_question.values():
        if len({one.answer.casefold() for one in some}) == 1:
            yield some[0]
