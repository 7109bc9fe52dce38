"""The result of a request: an answer, or a failure with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from graphrag_tasks.llm.schema import Form, validated


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
    UNSUPPORTED = "unsupported"  # a parameter that the endpoint does not know
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
