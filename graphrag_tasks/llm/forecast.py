"""Forecast the cost of requests before they are sent: tokens and money, as ranges.

Prompts are counted, including the schema of the answer. The answer's length is assumed, in a wide range, until some
requests were asked. Their usage then gives the ratio of answer to input, the model's own token count, and the shares of
repeated and interrupted attempts; the range is the sampling error. An interrupted attempt counts in full, but its
provider may bill nothing: the low end counts none.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.llm import tokens
from graphrag_tasks.llm.answers import Usage
from graphrag_tasks.llm.prices import price
from graphrag_tasks.llm.request import Request

ENOUGH = 20  # Fewest answers from which a forecast is learned.

Range = tuple[float, float, float]  # Low, expected and high.
Money = tuple[Decimal, Decimal, Decimal]  # USD: low, expected and high.

_NO_MONEY = (Decimal(0), Decimal(0), Decimal(0))
_ASSUMED = (0.7, 1.9, 3.6)  # Answer tokens per token of input text: low, expected and high.
_ASSUMED_FACTOR = (0.6, 1.0, 1.25)
"""The model's token count per token counted here. Servers that enforce the schema by a grammar do not count it, and
it is a quarter of a prompt of `extract`."""
_ASSUMED_CUT = (0.0, 0.0, 0.02)  # Interrupted attempts per request; chosen by reading.
_DEVIATIONS = 3.0  # Standard deviations of a ratio to either side: 99.7 % of a normal distribution.
_FEW_DEVIATIONS, _NONE_SEEN = 2.0, 3.0
"""Standard deviations of a count, and the bound where none was seen (the rule of three, 95 %)."""
_LEAST_OPEN = 0.02  # Least half-width of a range, as a share.


@dataclass(frozen=True)
class Rates:
    """Token rates of requests.

    Attributes:
        factor: The model's token count per token counted here.
        output: Answer tokens per token of input text.
        cut: Interrupted or timed-out attempts per request: they count in full.
        learned_from: Number of answers from which the rates are learned; 0: assumed.
    """

    factor: Range = _ASSUMED_FACTOR
    output: Range = _ASSUMED
    cut: Range = _ASSUMED_CUT
    learned_from: int = 0

    @classmethod
    def learned(cls, answered: Sequence[tuple[Request, Usage]], unsure: int = 0, asked: int = 0) -> Rates:
        """Return the rates of some answers, or the assumed rates where they are too few.

        Args:
            answered: Requests, with the tokens of all their attempts that reported them.
            unsure: Number of further attempts that were interrupted.
            asked: Number of requests that both belong to.
        """
        known = [(request, usage) for request, usage in answered if usage.prompt_tokens]
        if len(known) < ENOUGH:
            return cls()
        return cls(
            _ratio([(usage.prompt_tokens, _prompt(request)) for request, usage in known]),
            _ratio([(usage.completion_tokens, tokens.count(request.user)) for request, usage in known]),
            _share(unsure, asked) if asked >= ENOUGH else _ASSUMED_CUT,
            len(known),
        )


@dataclass(frozen=True)
class Forecast:
    """Expected cost of requests; two forecasts can be added.

    Attributes:
        requests: Number of requests to send.
        known: Number of further requests with an answer, which cost nothing.
        prompt_tokens: Of the requests to send: low, expected, high.
        completion_tokens: Of their answers, likewise.
        usd: Likewise; None where the price is unknown.
    """

    requests: int = 0
    known: int = 0
    prompt_tokens: Range = (0, 0, 0)
    completion_tokens: Range = (0, 0, 0)
    usd: Money | None = _NO_MONEY

    def __add__(self, other: Forecast) -> Forecast:
        """Sum up; the price of the sum is not known where that of a part is not."""
        usd = None
        if self.usd is not None and other.usd is not None:
            low, expected, high = (a + b for a, b in zip(self.usd, other.usd, strict=True))
            usd = (low, expected, high)
        return Forecast(
            self.requests + other.requests,
            self.known + other.known,
            _added(self.prompt_tokens, other.prompt_tokens),
            _added(self.completion_tokens, other.completion_tokens),
            usd,
        )

    def at(self, share: Decimal) -> Forecast:
        """Return the forecast at a share of the price."""
        if self.usd is None:
            return self
        low, expected, high = self.usd
        return replace(self, usd=(low * share, expected * share, high * share))


def forecast(
    requests: Sequence[Request], known: int, config: LlmConfig, model: str, rates: Rates, share: Decimal
) -> Forecast:
    """Return the cost of requests at a share of the price, besides the number of `known` ones."""
    output = _output if rates.learned_from else _shorter_than_the_most
    places = [
        [
            Usage(
                round(_prompt(request) * factor + cut * tokens.most(*request.prompt)),
                round(output(request, ratio) + cut * request.max_output),
            )
            for request in requests
        ]
        for factor, ratio, cut in zip(rates.factor, rates.output, rates.cut, strict=True)
    ]
    prompt = [float(sum(usage.prompt_tokens for usage in usages)) for usages in places]
    completion = [float(sum(usage.completion_tokens for usage in usages)) for usages in places]
    money = [_sum(config, model, usages) for usages in places]
    low, expected, high = money
    usd = None
    if low is not None and expected is not None and high is not None:
        usd = (low * share, expected * share, high * share)
    return Forecast(
        len(requests), known,
        (prompt[0], prompt[1], prompt[2]), (completion[0], completion[1], completion[2]), usd,
    )  # fmt: skip


def _added(one: Range, other: Range) -> Range:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


def _prompt(request: Request) -> int:
    return sum(map(tokens.count, request.prompt))


def _output(request: Request, ratio: float) -> float:
    return ratio * tokens.count(request.user)


def _shorter_than_the_most(request: Request, ratio: float) -> float:
    return min(_output(request, ratio), request.max_output)


def _ratio(pairs: Sequence[tuple[float, float]]) -> Range:
    """Return the ratio of two sums, with the range of its sampling error."""
    above, below = (sum(one) for one in zip(*pairs, strict=True))
    ratio = above / below if below else 0.0
    rest = [one - ratio * other for one, other in pairs]
    spread = statistics.pstdev(rest) * math.sqrt(len(pairs)) / below if below else 0.0
    open_ = max(_DEVIATIONS * spread, _LEAST_OPEN * ratio)
    return max(ratio - open_, 0.0), ratio, ratio + open_


def _share(count: int, of: int) -> Range:
    """Return a count as a share, from zero to the upper bound of its sampling error."""
    most = count + _FEW_DEVIATIONS * math.sqrt(count) + _NONE_SEEN
    return 0.0, count / of, most / of


def _sum(config: LlmConfig, model: str, usages: Sequence[Usage]) -> Decimal | None:
    total = Decimal(0)
    for usage in usages:
        cost = price(config, model, usage)
        if cost is None:
            return None
        total += cost
    return total
