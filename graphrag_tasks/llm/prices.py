"""Prices of tokens: the configured price of a model, else its list price, else unknown.

List prices come from the data in the package genai-prices; nothing is downloaded. A price is for one request, as rates
may rise with its length. An unknown price is never 0.
"""

from __future__ import annotations

from decimal import Decimal

from graphrag_tasks.core.commands import brought_by
from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.errors import PriceError
from graphrag_tasks.llm.answers import Usage

_MILLION = Decimal(1_000_000)


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
