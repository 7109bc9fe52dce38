"""What requests will cost, before they are sent: tokens and money, as a range.

A prompt is counted. What a model answers is not known before it is asked: it is assumed, in a wide
range, until some of the requests have an answer. Their usage then says how long answers are beside
what is read, and how the model counts tokens; the range is what such a sample leaves open.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.llm import tokens
from graphrag_tasks.llm.answers import Answer, Usage
from graphrag_tasks.llm.prices import price
from graphrag_tasks.llm.request import Request

ENOUGH = 20
"""Answers from which on a forecast is learned."""

_ASSUMED = (0.7, 1.9, 3.6)
"""Tokens of an answer for each of the text to work on: low, expected and high."""
_ASSUMED_FACTOR = (0.9, 1.0, 1.25)
"""Tokens as a model counts them, for each as counted here."""
_DEVIATIONS = 3.0
_LEAST_OPEN = 0.02
"""Share that a range leaves open to either side at the least."""

Range = tuple[float, float, float]
"""Low, expected and high."""


@dataclass(frozen=True)
class Forecast:
    """What requests will cost.

    Attributes:
        requests: How many are to be sent.
        known: How many more have an answer, and cost nothing.
        prompt_tokens: Of those to be sent: low, expected, high.
        completion_tokens: Of their answers, likewise.
        usd: Likewise; None where the price is not known.
        learned_from: Number of answers that the figures are learned from; 0: assumed.
    """

    requests: int
    known: int
    prompt_tokens: Range
    completion_tokens: Range
    usd: tuple[Decimal, Decimal, Decimal] | None
    learned_from: int


def forecast(
    pairs: Sequence[tuple[Request, Answer | None]], config: LlmConfig, model: str
) -> Forecast:
    """Return what it takes to answer the requests that have no answer yet."""
    counted = [(tokens.count(one.system) + tokens.count(one.user), one) for one, _ in pairs]
    learned = [
        (prompt, tokens.count(one.user), answer.usage)
        for (prompt, one), (_, answer) in zip(counted, pairs, strict=True)
        if answer is not None and answer.usage.prompt_tokens
    ]
    is_learned = len(learned) >= ENOUGH
    factor, ratio = _ASSUMED_FACTOR, _ASSUMED
    if is_learned:
        factor = _ratio([(usage.prompt_tokens, prompt) for prompt, _, usage in learned])
        ratio = _ratio([(usage.completion_tokens, user) for _, user, usage in learned])
    still = [pair for pair, (_, answer) in zip(counted, pairs, strict=True) if answer is None]
    usages = [
        [
            Usage(round(prompt * factor[place]), round(_output(one, ratio[place])))
            for prompt, one in still
        ]
        for place in range(3)
    ]
    money = [_sum(config, model, of_place) for of_place in usages]
    low, expected, high = (
        (sum(one.prompt_tokens for one in of), sum(one.completion_tokens for one in of))
        for of in usages
    )
    return Forecast(
        requests=len(still),
        known=len(pairs) - len(still),
        prompt_tokens=(low[0], expected[0], high[0]),
        completion_tokens=(low[1], expected[1], high[1]),
        usd=None if None in money else (money[0], money[1], money[2]),  # type: ignore[arg-type]
        learned_from=len(learned) if is_learned else 0,
    )


def _output(request: Request, ratio: float) -> float:
    return min(ratio * tokens.count(request.user), request.max_output)


def _ratio(pairs: Sequence[tuple[float, float]]) -> Range:
    """Return the ratio of two sums, and what a sample of that size leaves open."""
    above, below = (sum(one) for one in zip(*pairs, strict=True))
    ratio = above / below if below else 0.0
    rest = [one - ratio * other for one, other in pairs]
    spread = statistics.pstdev(rest) * math.sqrt(len(pairs)) / below if below else 0.0
    open_ = max(_DEVIATIONS * spread, _LEAST_OPEN * ratio)
    return max(ratio - open_, 0.0), ratio, ratio + open_


def _sum(config: LlmConfig, model: str, usages: Sequence[Usage]) -> Decimal | None:
    total = Decimal(0)
    for usage in usages:
        cost = price(config, model, usage)
        if cost is None:
            return None
        total += cost
    return total
