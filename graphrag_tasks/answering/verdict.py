"""Verdict whether the documents answer a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from graphrag_tasks.retrieval.context.signals import Signals
from graphrag_tasks.retrieval.question.query import probability

State = Literal["answered", "uncertain", "not in these documents"]
NOT_HERE: Literal["not in these documents"] = "not in these documents"

_INTERCEPT, _LOG_ODDS, _MARGIN, _COSINE, _COVERAGE = -3.40, 0.10, 0.16, 4.18, 2.38
_UNKNOWN_NAME = -1.06
_ANSWERED, _UNCERTAIN = -0.53, -1.8
"""Weights of the signals, and log-odds thresholds, by `python -m benchmarks.training.answers
verdict` on questions of six corpora without judgements. At most 20 % and 2 % of each corpus's
answerable questions fall below; as these are 20 to 50, the lower threshold is .27 lower
still."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether the documents answer a question.

    Attributes:
        state: `answered`, `uncertain`, or `not in these documents`, which is rarely wrong.
        probability: That the first passage answers the question.
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


def verdict(signals: Signals) -> Verdict:
    """Return the verdict on a question whose first chunks were reranked.

    A name that no document contains makes it uncertain at best, however near the passages are.
    """
    if signals.read is None:
        return Verdict(state=NOT_HERE, probability=0.0, unknown=signals.unknown)
    log_odds = (
        _INTERCEPT
        + _LOG_ODDS * signals.read.log_odds
        + _MARGIN * signals.read.margin
        + _COSINE * signals.read.cosine
        + _COVERAGE * signals.read.coverage
        + _UNKNOWN_NAME * bool(signals.unknown_names)
    )
    state: State = "answered"
    if log_odds < _UNCERTAIN:
        state = NOT_HERE
    elif log_odds < _ANSWERED or signals.unknown_names:
        state = "uncertain"
    return Verdict(state=state, probability=probability(log_odds), unknown=signals.unknown)


def _missing(unknown: Sequence[str]) -> str:
    if not unknown:
        return ""
    names = ", ".join(f"“{word}”" for word in unknown)
    return f" {names} {'is' if len(unknown) == 1 else 'are'} mentioned nowhere."
