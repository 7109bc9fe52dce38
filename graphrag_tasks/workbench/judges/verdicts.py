"""Measures of a model judge: one value for each vote, None if invalid."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

import numpy as np
from numpy.typing import NDArray
from pydantic import field_validator

from graphrag_tasks.language.bm25.index import is_code_name, words
from graphrag_tasks.workbench.evaluation.gold import average_precision, relevancy, share, share_interval
from graphrag_tasks.workbench.evaluation.questions import JsonLine
from graphrag_tasks.workbench.judges import prompts
from graphrag_tasks.workbench.judges.judge import Judge

Encode = Callable[[Sequence[str]], NDArray[np.float32]]  # Returns the vectors of texts, shape (texts, dimension).

ALIGNMENT = "alignment"
RELEVANT, PRECISION = "context_relevant", "context_precision"
FAITHFULNESS, RELEVANCY = "faithfulness", "answer_relevancy"
MEASURES = ALIGNMENT, FAITHFULNESS, RELEVANCY, RELEVANT, PRECISION

ONE, OTHER, TIE, UNDECIDED = "one", "other", "tie", "undecided"  # Outcomes of a pair.
_LONG = 1500  # Token limit of a list of statements: about fifty of them.

CLASSES: Mapping[str, float | None] = {
    "same": 1.0, "partly": 0.5, "different": 0.0, "undecided": None,
}  # fmt: skip


@dataclass(frozen=True)
class Answered:
    """A question with the answer to judge.

    Attributes:
        reference: The reference answer.
        text: The answer; empty if the documents were said to contain none.
        passages: The passages that it is based on, best first.
    """

    id: str
    question: str
    reference: str
    text: str
    passages: tuple[str, ...]


@dataclass(frozen=True)
class Verdicts:
    """Votes on an answer by one measure; None for invalid or undecided votes."""

    measure: str
    votes: tuple[float | None, ...]

    @property
    def values(self) -> list[float]:
        """The valid votes."""
        return [vote for vote in self.votes if vote is not None]

    @property
    def value(self) -> float | None:
        """The combined vote: the median for classes, else the mean."""
        if not self.values:
            return None
        if self.measure != ALIGNMENT:
            return fmean(self.values)
        middle = median(self.values)
        return middle if middle in CLASSES.values() else None

    @property
    def spread(self) -> float:
        """The largest difference between votes."""
        return max(self.values) - min(self.values) if self.values else 0.0


def aligned(judge: Judge, answers: Sequence[Answered]) -> list[Verdicts]:
    """Return how far each answer agrees with its reference: 1, 0.5 or 0.

    An empty answer gets 0 without asking.
    """
    asked = [answer for answer in answers if answer.text]
    shown = [
        {"question": answered.question, "reference": answered.reference, "answer": answered.text} for answered in asked
    ]
    found = iter(judge.ask(prompts.Alignment, prompts.ALIGNMENT, shown))
    nothing = (0.0,) * judge.votes
    return [
        Verdicts(
            ALIGNMENT,
            tuple(CLASSES[vote.verdict] if vote else None for vote in next(found)) if answer.text else nothing,
        )
        for answer in answers
    ]


def context_precision(judge: Judge, answers: Sequence[Answered]) -> list[list[Verdicts]]:
    """Return two verdicts on the passages of each answer.

    The share of relevant passages, and the average precision.
    """
    shown = [
        {"question": answer.question, "answer": answer.reference, "passage": passage}
        for answer in answers
        for passage in answer.passages
    ]
    found = iter(judge.ask(prompts.Relevance, prompts.RELEVANCE, shown))
    results = []
    for answer in answers:
        of_passages = [next(found) for _ in answer.passages]
        by_vote = list(zip(*of_passages, strict=True)) or [()] * judge.votes
        # A vote without a verdict on each passage is none.
        valid = [[vote.relevant for vote in votes if vote] for votes in by_vote]
        whole = [len(some) == len(votes) for some, votes in zip(valid, by_vote, strict=True)]
        results.append([
            Verdicts(measure, tuple(
                figure(some) if is_whole else None
                for some, is_whole in zip(valid, whole, strict=True)
            ))
            for measure, figure in ((RELEVANT, share), (PRECISION, average_precision))
        ])  # fmt: skip
    return results


def faithful(judge: Judge, answers: Sequence[Answered]) -> list[Verdicts]:
    """Return the share of each answer's statements that its passages support.

    An answer without statements has no verdict.
    """
    asked = [{"question": answer.question, "answer": answer.text} for answer in answers]
    told = judge.ask(prompts.Statements, prompts.STATEMENTS, asked, _LONG)
    shown = [
        (vote, {"passages": list(answer.passages), "statements": dict(enumerate(said.statements, 1))})
        for answer, votes in zip(answers, told, strict=True)
        for vote, said in enumerate(votes)
        if said and said.statements
    ]
    found = iter(judge.ask_once(prompts.Supports, prompts.SUPPORT, shown, _LONG))

    def supported(said: prompts.Statements | None) -> float | None:
        """Return the share of supported statements; None if a verdict is missing."""
        verdicts = next(found) if said and said.statements else None
        if said is None or verdicts is None:
            return None
        by_number = {verdict.statement: verdict.supported for verdict in verdicts.verdicts}
        values = [by_number.get(number) for number in range(1, len(said.statements) + 1)]
        known = [value for value in values if value is not None]
        return share(known) if len(known) == len(values) else None

    return [Verdicts(FAITHFULNESS, tuple(map(supported, votes))) for votes in told]


def relevant(judge: Judge, answers: Sequence[Answered], encode: Encode) -> list[Verdicts]:
    """Return how near the questions guessed from each answer are to the real one.

    The votes are the guesses, averaged as in RAGAS (three by default); an empty answer gets 0.
    """
    shown = [{"answer": answer.text} for answer in answers if answer.text]
    found = iter(judge.ask(prompts.Guess, prompts.GUESS, shown))
    results = []
    for answer in answers:
        near: float | None = 0.0
        if answer.text:
            guesses = [guess for guess in next(found) if guess and guess.question]
            vectors = encode([answer.question, *(guess.question for guess in guesses)])
            near = relevancy(vectors[0], vectors[1:], [guess.evasive for guess in guesses])
        results.append(Verdicts(RELEVANCY, (near,)))
    return results


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
    """Return which answer of each pair is nearer to the reference.

    Each pair is shown in both orders. If the verdict changes with the order, the pair is undecided; so a judge that
    always takes the first place decides nothing.
    """
    shown = [
        {"question": one.question, "reference": one.reference, "first": first, "second": second}
        for one in pairs
        for first, second in ((one.one, one.other), (one.other, one.one))
    ]
    found = iter(judge.ask(prompts.Preference, prompts.PREFERENCE, shown))
    return [
        Preferred(pair.id, _majority(next(found), (ONE, OTHER)), _majority(next(found), (OTHER, ONE))) for pair in pairs
    ]


def outcomes(pairs: Sequence[Preferred]) -> dict[str, int]:
    """Return how many pairs each side won, are ties, or are undecided."""
    winners = [pair.winner for pair in pairs]
    counts = {side: winners.count(side) for side in (ONE, OTHER, TIE)}
    return counts | {UNDECIDED: winners.count(None)}


def _majority(votes: Sequence[prompts.Preference | None], sides: tuple[str, str]) -> str | None:
    """Return the side with more than half of the votes; invalid votes count against."""
    named = {"first": sides[0], "second": sides[1], "neither": TIE}
    counts = Counter(named[vote.better] for vote in votes if vote is not None)
    side, most = max(counts.items(), key=lambda one: one[1], default=(None, 0))
    return side if most > len(votes) / 2 else None


# Check a judge: does it recognize quality, or only position or length?

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
