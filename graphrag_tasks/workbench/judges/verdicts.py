"""Measures of a model judge: one value for each vote, None if invalid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.workbench.evaluation.measures import average_precision, faithfulness, relevancy, relevant_share
from graphrag_tasks.workbench.judges import prompts
from graphrag_tasks.workbench.judges.judge import Judge

Encode = Callable[[Sequence[str]], NDArray[np.float32]]  # Returns the vectors of texts, shape (texts, dimension).

ALIGNMENT = "alignment"
RELEVANT, PRECISION = "context_relevant", "context_precision"
FAITHFULNESS, RELEVANCY = "faithfulness", "answer_relevancy"

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
    return [Verdicts(ALIGNMENT, tuple(map(_class, next(found))) if answer.text else nothing) for answer in answers]


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
        results.append(
            [_of_passages(RELEVANT, relevant_share, by_vote),
             _of_passages(PRECISION, average_precision, by_vote)]
        )  # fmt: skip
    return results


def faithful(judge: Judge, answers: Sequence[Answered]) -> list[Verdicts]:
    """Return the share of each answer's statements that its passages support.

    An answer without statements has no verdict.
    """
    told = judge.ask(
        prompts.Statements,
        prompts.STATEMENTS,
        [{"question": answer.question, "answer": answer.text} for answer in answers],
        _LONG,
    )
    shown = [
        (vote, {"passages": list(answer.passages), "statements": dict(enumerate(said.statements, 1))})
        for answer, votes in zip(answers, told, strict=True)
        for vote, said in enumerate(votes)
        if said and said.statements
    ]
    found = iter(judge.ask_once(prompts.Supports, prompts.SUPPORT, shown, _LONG))
    return [
        Verdicts(
            FAITHFULNESS,
            tuple(_share(next(found), len(said.statements)) if said and said.statements else None for said in votes),
        )
        for votes in told
    ]


def relevant(judge: Judge, answers: Sequence[Answered], encode: Encode) -> list[Verdicts]:
    """Return how near the questions guessed from each answer are to the real one.

    The votes are the guesses, averaged as in RAGAS (three by default); an empty answer gets 0.
    """
    asked = [answer for answer in answers if answer.text]
    found = iter(judge.ask(prompts.Guess, prompts.GUESS, [{"answer": answered.text} for answered in asked]))
    results = []
    for answer in answers:
        guesses = [guess for guess in next(found) if guess and guess.question] if answer.text else []
        if not answer.text:
            results.append(Verdicts(RELEVANCY, (0.0,)))
            continue
        vectors = encode([answer.question, *(guess.question for guess in guesses)])
        near = relevancy(vectors[0], vectors[1:], [guess.evasive for guess in guesses])
        results.append(Verdicts(RELEVANCY, (near,)))
    return results


def _class(vote: prompts.Alignment | None) -> float | None:
    return None if vote is None else CLASSES[vote.verdict]


def _of_passages(
    measure: str,
    figure: Callable[[Sequence[bool]], float | None],
    by_vote: Sequence[Sequence[prompts.Relevance | None]],
) -> Verdicts:
    """Return the figure of each vote over all passages; None if a verdict is missing."""
    valid = [[vote.relevant for vote in votes if vote is not None] for votes in by_vote]
    return Verdicts(
        measure,
        tuple(figure(found) if len(found) == len(votes) else None for found, votes in zip(valid, by_vote, strict=True)),
    )


def _share(said: prompts.Supports | None, statements: int) -> float | None:
    """Return the share of supported statements; None if a verdict is missing."""
    if said is None:
        return None
    by_number = {verdict.statement: verdict.supported for verdict in said.verdicts}
    wanted = range(1, statements + 1)
    if any(number not in by_number for number in wanted):
        return None
    return faithfulness([by_number[number] for number in wanted])
