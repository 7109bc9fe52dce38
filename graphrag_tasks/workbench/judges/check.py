"""Check a judge: does it recognize quality, or only position or length?

From answers known to be right, these verdicts have a known outcome:

* the same answer on both sides (neither is better),
* a right answer beside one with another number or name, or with "not" (the right one is better), in
  both orders (the verdict stays with the answer, not with the place),
* a right answer beside itself with empty sentences added (the padded one is not better),
* answers that a person has judged (the verdicts are equal).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from pydantic import field_validator

from graphrag_tasks.language.bm25.tokens import is_code_name, words
from graphrag_tasks.workbench.evaluation.jsonl import JsonLine
from graphrag_tasks.workbench.evaluation.measures import share_interval
from graphrag_tasks.workbench.judges.judge import Judge
from graphrag_tasks.workbench.judges.verdicts import CLASSES, ONE, OTHER, Answered, Pair, Preferred, aligned, preferred

PADDING = (
    "This is an important point that deserves attention. It is worth noting that the details "
    "matter here, and that they should be considered with care in each case."
)
MOST_PAIRS = 40  # Pairs of each kind: enough for an interval of ± fifteen points around a half.

_LEAST_KNOWN, _LEAST_AGREED = 0.8, 0.7
"""Least shares of recognized wrong answers, and of agreement with a person. Two people agree on about four of five
answers (Zheng et al., arXiv 2306.05685, table 5: 81 %)."""

_MOST_PADDED = 0.25  # Largest share of padded answers that may be preferred.
_LEAST_STAYED = 0.7  # Least share of verdicts that stay when the places are swapped.

_CAPITALS = re.compile(r"[A-Z]{3,}")
_NUMBER = re.compile(r"(?<![\w.,/-])\d+(?![\w.,/-]*\w)")
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|can|must|should|will|has|have|does|do)\b(?! not)", re.IGNORECASE)
_NOT = re.compile(r"\b(is|are|was|were|can|must|should|will|does|do) ?not\b", re.IGNORECASE)


class JudgedByHand(JsonLine):
    """An answer to a question of a set, with a person's verdict: 1, 0.5 or 0."""

    question_id: str
    answer: str
    verdict: float
    why: str = ""

    @field_validator("verdict")
    @classmethod
    def _is_a_class(cls, value: float) -> float:
        if value not in CLASSES.values():
            raise ValueError("is 0, 0.5 or 1")
        return value


@dataclass(frozen=True)
class Finding:
    """The outcome of a check.

    Attributes:
        measured: Share, from 0 to 1; None without a valid verdict.
        low: Lower end of its 95 % interval.
        high: Upper end.
        wanted: The requirement, in words.
        fault: What a failing judge does, in words: "prefers the first place".
    """

    name: str
    answers: int
    measured: float | None
    low: float
    high: float
    wanted: str
    fault: str
    passed: bool


@dataclass(frozen=True)
class JudgeCheck:
    """All findings on a judge."""

    model: str
    findings: tuple[Finding, ...]

    @property
    def faults(self) -> list[str]:
        """Faults of the judge, in words; empty if it passed all checks."""
        return [finding.fault for finding in self.findings if not finding.passed]


def check_judge(judge: Judge, answers: Sequence[Answered], by_hand: Sequence[JudgedByHand] = ()) -> JudgeCheck:
    """Check a judge on answers with known verdicts.

    `answers` give questions with references. References without a number, a name or a negatable verb cannot be
    falsified.
    """
    right = [answer for answer in answers if answer.reference][:MOST_PAIRS]
    names = sorted({name for answered in right for name in _names(answered.reference)})

    def beside(other: Callable[[str], str | None]) -> list[Preferred]:
        """Return what the judge prefers: each reference, or the text that `other` makes of it."""
        said = [(one, other(one.reference)) for one in right]
        pairs = [Pair(one.id, one.question, one.reference, one.reference, text)
                 for one, text in said if text]  # fmt: skip
        return preferred(judge, pairs)

    same, wrong = beside(lambda text: text), beside(lambda text: falsified(text, names))
    padded = beside(lambda text: f"{text} {PADDING}")
    # Of identical answers each place may win equally often.
    firsts = [float(pair.in_order == ONE) for pair in same if pair.in_order in (ONE, OTHER)]
    firsts += [float(pair.swapped == OTHER) for pair in same if pair.swapped in (ONE, OTHER)]
    place = _finding("same answer twice: first place of those decided", firsts,
                     "its interval holds 1/2", "prefers a place")  # fmt: skip
    is_fair = not firsts or place.low <= 0.5 <= place.high
    findings = [
        replace(place, passed=is_fair),
        _finding("verdict stays when places are swapped",
                 [float(one.in_order == one.swapped) for one in wrong
                  if one.in_order and one.swapped],
                 _LEAST_STAYED, "changes its mind when the places are swapped"),
        _finding("known wrong answers seen", [float(one.winner == ONE) for one in wrong],
                 _LEAST_KNOWN, "does not see wrong numbers, names and negations"),
        _finding("padded answers preferred", [float(one.winner == OTHER) for one in padded],
                 _MOST_PADDED, "prefers the longer answer", is_most=True),
    ]  # fmt: skip
    if by_hand:
        known = {answer.id: answer for answer in answers}
        judged = [human for human in by_hand if human.question_id in known]
        found = aligned(judge, [
            replace(known[human.question_id], id=human.id, text=human.answer, passages=())
            for human in judged
        ])  # fmt: skip
        agreed = [float(one.value == by.verdict) for one, by in zip(found, judged, strict=True)]
        fault = "does not agree with people"
        findings.append(_finding("verdicts as a person's", agreed, _LEAST_AGREED, fault))
    return JudgeCheck(judge.model, tuple(findings))


def falsified(text: str, names: Sequence[str] = ()) -> str | None:
    """Return a text that is wrong in one point; None if it cannot be made wrong.

    Another number; else another name of `names`; else with, or without, "not".
    """
    draw = random.Random(text)  # noqa: S311 - no secret
    if numbers := list(_NUMBER.finditer(text)):
        one = draw.choice(numbers)
        return f"{text[: one.start()]}{int(one[0]) + draw.choice([1, 3, 70])}{text[one.end() :]}"
    own = _names(text)
    others = [name for name in names if name not in own]
    if own and others:
        return text.replace(own[0], draw.choice(others))
    if _NOT.search(text):
        return _NOT.sub(r"\1", text, count=1)
    if verb := _AUXILIARY.search(text):
        return f"{text[: verb.end()]} not{text[verb.end() :]}"
    return None


def _names(text: str) -> list[str]:
    return [word for word in words(text) if is_code_name(word) or _CAPITALS.fullmatch(word)]


def _finding(name: str, values: Sequence[float], limit: float | str, fault: str, *, is_most: bool = False) -> Finding:
    """Return a finding on a share, which has to be at least, or at most, `limit`."""
    wanted = limit if isinstance(limit, str) else f"at {'most' if is_most else 'least'} {limit}"
    if not values:
        return Finding(name, 0, None, 0.0, 0.0, wanted, fault, passed=False)
    share = fmean(values)
    low, high = share_interval(sum(values), len(values))
    passed = not isinstance(limit, str) and (share <= limit if is_most else share >= limit)
    return Finding(name, len(values), share, low, high, wanted, fault, passed)
