"""Two answers to the same question, or two code proposals: which one is better.

Each pair is shown in both orders. A verdict that changes with the order is none: the pair is
undecided. So a judge that always takes the first place decides nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from graphrag_tasks.evaluate.answers import prompts
from graphrag_tasks.evaluate.answers.judge import Judge
from graphrag_tasks.evaluate.jsonl import Line

ONE, OTHER, TIE = "one", "other", "tie"
CRITERIA = tuple(prompts.RubricPoints.model_fields)
_REVIEW_TOKENS = 600


@dataclass(frozen=True)
class Pair:
    """Two answers to a question, and the right one."""

    id: str
    question: str
    reference: str
    one: str
    other: str


@dataclass(frozen=True)
class Preferred:
    """Which side of a pair a judge prefers.

    Attributes:
        in_order: What most votes say when `one` stands first: `one`, `other` or `tie`; None where
            there is no majority.
        swapped: Likewise when `other` stands first.
    """

    id: str
    in_order: str | None
    swapped: str | None

    @property
    def winner(self) -> str | None:
        """What both orders agree on; None where they do not."""
        return self.in_order if self.in_order == self.swapped else None


def preferred(judge: Judge, pairs: Sequence[Pair]) -> list[Preferred]:
    """Return which answer of each pair is nearer to the right one."""
    shown = [
        {"question": one.question, "reference": one.reference, "first": first, "second": second}
        for one in pairs
        for first, second in ((one.one, one.other), (one.other, one.one))
    ]
    found = iter(judge.ask(prompts.Preference, prompts.PREFERENCE, shown))
    return [_preferred(pair.id, next(found), next(found)) for pair in pairs]


class CodePair(Line):
    """A line of code, its right replacement, and two proposals for it.

    Attributes:
        legacy: The code of SAP ECC.
        right: What replaces it in SAP S/4HANA.
        why: Why, in a sentence.
        one: A proposal.
        other: Another one.
    """

    legacy: str
    right: str
    why: str = ""
    one: str
    other: str


@dataclass(frozen=True)
class Reviewed:
    """The review of two proposals: who is preferred, and the mean points by side and criterion.

    A side without a valid vote has no points.
    """

    preferred: Preferred
    points: dict[str, dict[str, float]]


def reviewed(judge: Judge, pairs: Sequence[CodePair]) -> list[Reviewed]:
    """Return the review of each pair of proposals, over both orders and all votes."""
    shown = [
        {"legacy": one.legacy, "right": one.right, "first": first, "second": second}
        for one in pairs
        for first, second in ((one.one, one.other), (one.other, one.one))
    ]
    found = iter(judge.ask(prompts.Review, prompts.RUBRIC, shown, _REVIEW_TOKENS))
    results = []
    for pair in pairs:
        in_order, swapped = next(found), next(found)
        sides = Preferred(
            pair.id, _majority(in_order, (ONE, OTHER)), _majority(swapped, (OTHER, ONE))
        )
        given = {
            ONE: [one.first for one in in_order if one] + [one.second for one in swapped if one],
            OTHER: [one.second for one in in_order if one] + [one.first for one in swapped if one],
        }
        points = {
            side: {name: fmean(getattr(one, name) for one in scores) for name in CRITERIA}
            for side, scores in given.items()
            if scores
        }
        results.append(Reviewed(sides, points))
    return results


def _preferred(name: str, in_order: Sequence[Any], swapped: Sequence[Any]) -> Preferred:
    return Preferred(name, _majority(in_order, (ONE, OTHER)), _majority(swapped, (OTHER, ONE)))


def _majority(votes: Sequence[Any], sides: tuple[str, str]) -> str | None:
    """Return the side that more than half of the votes are for, all invalid ones against."""
    named = {"first": sides[0], "second": sides[1], "neither": TIE}
    counts = Counter(named[one.better] for one in votes if one is not None)
    side, most = max(counts.items(), key=lambda one: one[1], default=(None, 0))
    return side if most > len(votes) / 2 else None
