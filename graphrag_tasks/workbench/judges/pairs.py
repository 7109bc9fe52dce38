"""Compare two answers to the same question.

Each pair is shown in both orders. If the verdict changes with the order, the pair is undecided; so a judge that always
takes the first place decides nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graphrag_tasks.workbench.judges import prompts
from graphrag_tasks.workbench.judges.judge import Judge

ONE, OTHER, TIE, UNDECIDED = "one", "other", "tie", "undecided"


@dataclass(frozen=True)
class Pair:
    """Two answers to a question, and the reference."""

    id: str
    question: str
    reference: str
    one: str
    other: str


@dataclass(frozen=True)
class Preferred:
    """Preference of a judge between two answers.

    Attributes:
        in_order: The majority vote if `one` stands first: `one`, `other` or `tie`; None without a majority.
        swapped: The same if `other` stands first.
    """

    id: str
    in_order: str | None
    swapped: str | None

    @property
    def winner(self) -> str | None:
        """The winner in both orders; None if they disagree."""
        return self.in_order if self.in_order == self.swapped else None


def preferred(judge: Judge, pairs: Sequence[Pair]) -> list[Preferred]:
    """Return which answer of each pair is nearer to the reference."""
    shown = [
        {"question": one.question, "reference": one.reference, "first": first, "second": second}
        for one in pairs
        for first, second in ((one.one, one.other), (one.other, one.one))
    ]
    found = iter(judge.ask(prompts.Preference, prompts.PREFERENCE, shown))
    return [by_majority(pair.id, next(found), next(found)) for pair in pairs]


def outcomes(pairs: Sequence[Preferred]) -> dict[str, int]:
    """Return how many pairs each side won, are ties, or are undecided."""
    winners = [pair.winner for pair in pairs]
    counts = {side: winners.count(side) for side in (ONE, OTHER, TIE)}
    return counts | {UNDECIDED: winners.count(None)}


def by_majority(name: str, in_order: Sequence[Any], swapped: Sequence[Any]) -> Preferred:
    """Return the preference of a pair from the votes on both orders; each has `better`."""
    return Preferred(name, _majority(in_order, (ONE, OTHER)), _majority(swapped, (OTHER, ONE)))


def _majority(votes: Sequence[Any], sides: tuple[str, str]) -> str | None:
    """Return the side with more than half of the votes; invalid votes count against."""
    named = {"first": sides[0], "second": sides[1], "neither": TIE}
    counts = Counter(named[vote.better] for vote in votes if vote is not None)
    side, most = max(counts.items(), key=lambda one: one[1], default=(None, 0))
    return side if most > len(votes) / 2 else None
