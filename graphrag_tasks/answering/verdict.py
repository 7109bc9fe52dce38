"""Verdict whether the documents answer a question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from graphrag_tasks.retrieval.context.signals import Signals
from graphrag_tasks.retrieval.question.query import probability

State = Literal["answered", "uncertain", "not in these documents"]
NOT_HERE: Literal["not in these documents"] = "not in these documents"

_INTERCEPT, _SENTENCE, _COSINE, _COVERAGE, _UNKNOWN_NAME = -2.21, 0.179, 3.30, 1.12, -1.40
"""Weights of the reader's log-odds of the surest sentence, of cosine and coverage of the first chunk, and of a name
that no document contains: on questions of seven corpora, each read by a model that had not seen it (`python -m
benchmarks.training.sentences weights`)."""
_ANSWERED, _UNCERTAIN = -0.3, -1.8
"""Log-odds: below the first are .16 of the answerable questions of nine corpora on average, and .3 of one's; below
the second at most .02."""

_ASKED_OF = re.compile(
    r"^\W*(?:who|what|which|when|where|how (?:much|high|large|long))\s+(?:is|are|was|were)\s+"
    r"((?:[\w'’-]+\s+){1,5}?)(?:of|for|in|at|behind)\b",
    re.IGNORECASE,
)
"""What a question asks of a thing: "the salary" in "What is the salary of a developer?"."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether the documents answer a question.

    Attributes:
        state: `answered`, `uncertain`, or `not in these documents`, which is rarely wrong.
        probability: That the passages answer the question.
        unknown: Words and names of the question that no document contains.
    """

    state: State
    probability: float
    unknown: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        missing = _missing(self.unknown)
        if self.state == "answered":
            return f"Answered from the documents.{missing}"
        if self.state == "uncertain":
            return f"Uncertain: these passages are the nearest, but may not answer it.{missing}"
        return f"Not in these documents.{missing}"


def verdict(question: str, signals: Signals, sentence: float | None) -> Verdict:
    """Return the verdict on a question whose first chunks were reranked.

    It is uncertain at best, however near the passages are, if no document contains a name of the question, or the word
    for what it asks of a thing: "salary" in "the salary of a developer".

    Args:
        question: As it was searched.
        signals: Of the search.
        sentence: The reader's log-odds that the surest sentence answers; None if there is none.
    """
    if signals.read is None or sentence is None:
        return Verdict(state=NOT_HERE, probability=0.0, unknown=signals.unknown)
    log_odds = (
        _INTERCEPT
        + _SENTENCE * sentence
        + _COSINE * signals.read.cosine
        + _COVERAGE * signals.read.coverage
        + _UNKNOWN_NAME * bool(signals.unknown_names)
    )
    state: State = "answered"
    if log_odds < _UNCERTAIN:
        state = NOT_HERE
    elif log_odds < _ANSWERED or signals.unknown_names or _asks_for(question, signals.unknown):
        state = "uncertain"
    return Verdict(state=state, probability=probability(log_odds), unknown=signals.unknown)


def _asks_for(question: str, unknown: Sequence[str]) -> bool:
    asked = _ASKED_OF.match(question)
    return asked is not None and not set(asked[1].split()).isdisjoint(unknown)


def _missing(unknown: Sequence[str]) -> str:
    if not unknown:
        return ""
    names = ", ".join(f"“{word}”" for word in unknown)
    return f" {names} {'is' if len(unknown) == 1 else 'are'} mentioned nowhere."
