"""Code proposals: which of two comes nearer to the right replacement of a line, by five criteria.

As in Min et al., section 4.2.2, with both orders of the two and several votes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from graphrag_tasks.evaluate.answers import prompts
from graphrag_tasks.evaluate.answers.judge import Judge
from graphrag_tasks.evaluate.answers.pairs import (
    ONE,
    OTHER,
    TIE,
    UNDECIDED,
    Preferred,
    by_majority,
    outcomes,
)
from graphrag_tasks.evaluate.comparison import Difference, paired_bootstrap
from graphrag_tasks.evaluate.jsonl import Line

CRITERIA = tuple(prompts.RubricPoints.model_fields)
_REVIEW_TOKENS = 600
"""Of a review by five criteria; chosen."""


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
        {"legacy": code_pair.legacy, "right": code_pair.right, "first": first, "second": second}
        for code_pair in pairs
        for first, second in ((code_pair.one, code_pair.other), (code_pair.other, code_pair.one))
    ]
    found = iter(judge.ask(prompts.Review, prompts.RUBRIC, shown, _REVIEW_TOKENS))
    results = []
    for pair in pairs:
        in_order, swapped = next(found), next(found)
        sides = by_majority(pair.id, in_order, swapped)
        given = {
            ONE: [review.first for review in in_order if review]
            + [review.second for review in swapped if review],
            OTHER: [review.second for review in in_order if review]
            + [review.first for review in swapped if review],
        }
        points = {
            side: {name: fmean(getattr(score, name) for score in scores) for name in CRITERIA}
            for side, scores in given.items()
            if scores
        }
        results.append(Reviewed(sides, points))
    return results


@dataclass(frozen=True)
class ProposalsReport:
    """Reviews of all pairs by one judge."""

    model: str
    reviews: tuple[Reviewed, ...]

    def points(self) -> dict[str, dict[str, Difference]]:
        """Return the mean of each criterion by side, with its 95 % interval."""
        found: dict[str, dict[str, Difference]] = {}
        for side in (ONE, OTHER):
            for name in CRITERIA:
                values = [
                    review.points[side][name] for review in self.reviews if side in review.points
                ]
                if values:
                    interval = paired_bootstrap(values, [0.0] * len(values))
                    found.setdefault(name, {})[side] = interval
        return found

    def outcomes(self) -> dict[str, int]:
        """Return how many pairs each side won in both orders, and how many are undecided."""
        return outcomes([review.preferred for review in self.reviews])

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        return {
            "model": self.model,
            "pairs": len(self.reviews),
            "outcomes": self.outcomes(),
            "points": {
                name: {side: vars(difference) for side, difference in sides.items()}
                for name, sides in self.points().items()
            },
        }

    def to_markdown(self) -> str:
        """Return a table of the criteria, and who won."""
        found = self.outcomes()
        lines = [
            f"Judge `{self.model}`, {len(self.reviews)} pairs of proposals: `one` won "
            f"{found[ONE]}, `other` {found[OTHER]}, neither {found[TIE]}, undecided "
            f"{found[UNDECIDED]}.",
            "",
            "| criterion | one | other |",
            "|---|---|---|",
        ]
        for name, sides in self.points().items():
            cells = [_cell(sides[side]) if side in sides else "–" for side in (ONE, OTHER)]
            lines.append(f"| {name} | {' | '.join(cells)} |")
        return "\n".join(lines) + "\n"


def _cell(one: Difference) -> str:
    return f"{one.mean:.2f} ({one.low:.2f} to {one.high:.2f})"
