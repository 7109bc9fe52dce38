"""The result of a request: an answer, or a failure with its reason; and the outcome of one attempt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.llm.request import Form, validated


class Kind(StrEnum):
    """Result of one attempt. Those up to `TOO_LONG` are final."""

    ANSWERED = "answered"
    INVALID = "invalid"  # of another form than was asked for
    REFUSED = "refused"  # by the model, or by a filter of the provider
    TRUNCATED = "truncated"  # longer than `max_output`
    EMPTY = "empty"  # all tokens went into thinking
    TOO_LONG = "too_long"  # the prompt does not fit into the model
    BUSY = "busy"  # 429: nothing was done
    FAILED = "failed"  # 5xx or no connection: nothing was done
    UNSURE = "unsure"  # cut off or timed out: it may have been done and billed
    OVER_BUDGET = "over_budget"  # not asked: it could pass a cap


@dataclass(frozen=True)
class Usage:
    """Tokens of one attempt, as reported by the endpoint."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0

    @property
    def total(self) -> int:
        """Tokens of prompt and answer."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True)
class Cost:
    """Money and tokens; `usd` is None where the price is unknown."""

    usd: Decimal | None
    tokens: int

    def __add__(self, other: Cost) -> Cost:
        """Sum up; money that is not known is left out of the sum."""
        known = [cost.usd for cost in (self, other) if cost.usd is not None]
        return Cost(sum(known, Decimal(0)) if known else None, self.tokens + other.tokens)


NOTHING = Cost(Decimal(0), 0)


@dataclass(frozen=True)
class Answer:
    """A valid answer to a request.

    Attributes:
        key: The request's key.
        text: The unparsed text.
        model: The model's name as reported by the endpoint.
    """

    key: str
    text: str
    usage: Usage
    model: str

    def parsed(self, form: type[Form]) -> Form:
        """Return the answer parsed into the requested form."""
        return validated(self.text, form)


@dataclass(frozen=True)
class Failure:
    """A request without an answer, and why."""

    key: str
    kind: Kind
    why: str


@dataclass(frozen=True)
class Outcome:
    """The outcome of one attempt.

    Attributes:
        kind: See `Kind`.
        text: The model's text.
        usage: Tokens, where reported; zeros where nothing billable was done.
        model: The model's name as reported by the endpoint.
        why: Reason, where there is no answer.
        wait: Seconds that the endpoint asks to wait; None where it does not.
        headers: Headers of the response.
        vectors: Vectors of texts sent to be embedded, shape (texts, dimension).
    """

    kind: Kind
    text: str = ""
    usage: Usage | None = None
    model: str = ""
    why: str = ""
    wait: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    vectors: NDArray[np.float32] | None = None
