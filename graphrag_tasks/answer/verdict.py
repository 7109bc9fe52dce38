"""Whether the documents answer a question: a verdict of three."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from graphrag_tasks.retrieval.context.signals import FirstRead, Signals
from graphrag_tasks.retrieval.question.query import probability

State = Literal["answered", "uncertain", "not in these documents"]

_INTERCEPT = -1.0
_WEIGHTS = FirstRead(log_odds=0.48, margin=0.03, cosine=4.4, coverage=1.4)
_ANSWERED, _UNCERTAIN = 0.5, 0.1


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether the documents answer a question.

    Attributes:
        state: `answered`, `uncertain`, or `not in these documents`, which is rarely wrong.
        probability: That the first passage answers the question.
        unknown: Words and names of the question that no document holds.
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


def verdict(signals: Signals) -> Verdict:
    """Return the verdict on a question whose first chunks were read by the reranker."""
    if signals.read is None:
        return Verdict(state="not in these documents", probability=0.0, unknown=signals.unknown)
    likely = probability(_log_odds(signals.read))
    state: State = "answered"
    if likely < _UNCERTAIN:
        state = "not in these documents"
    elif likely < _ANSWERED:
        state = "uncertain"
    return Verdict(state=state, probability=likely, unknown=signals.unknown)


def _log_odds(read: FirstRead) -> float:
    return (
        _INTERCEPT
        + _WEIGHTS.log_odds * read.log_odds
        + _WEIGHTS.margin * read.margin
        + _WEIGHTS.cosine * read.cosine
        + _WEIGHTS.coverage * read.coverage
    )


def _missing(unknown: Sequence[str]) -> str:
    if not unknown:
        return ""
    names = ", ".join(f"“{word}”" for word in unknown)
    return f" {names} {'is' if len(unknown) == 1 else 'are'} mentioned nowhere."
