"""Measures of a model judge: one value for each vote, None if invalid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.workbench.evaluation.measures import average_precision, relevancy, share
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
