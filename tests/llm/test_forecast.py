"""What requests will cost, as a sample of them foretells it."""

import random
from decimal import Decimal

import pytest

from graphrag_tasks.core.config import LlmConfig, ModelPrice
from graphrag_tasks.llm import Request
from graphrag_tasks.llm.answers import Usage
from graphrag_tasks.llm.forecast import Rates, forecast
from graphrag_tasks.llm.prices import price
from graphrag_tasks.llm.tokens import count

CONFIG = LlmConfig(model="m", prices={"m": ModelPrice(input=0.15, output=0.6)})
SAMPLE, REQUESTS = 64, 640


def request(draw: random.Random) -> Request:
    words = draw.randint(5, 70)
    return Request("extract", "Find facts. " * 20, "report table " * words, None, 2400)


def usage(one: Request, draw: random.Random) -> Usage:
    """Return what a model takes that counts otherwise, and tells much or little."""
    told = count(one.user) * draw.lognormvariate(0.2, 0.6)
    read = 1.08 * (count(one.system) + count(one.user))
    return Usage(round(read), round(min(told, one.max_output)))


@pytest.mark.parametrize("seed", range(3))
def test_the_bill_is_within_the_range_of_a_probe(seed: int) -> None:
    draw = random.Random(seed)
    asked = [(one, usage(one, draw)) for one in (request(draw) for _ in range(REQUESTS))]
    sample, rest = asked[:: REQUESTS // SAMPLE], asked
    rates = Rates.learned(sample)
    found = forecast([one for one, _ in rest], 0, CONFIG, "m", rates, Decimal(1))
    bill = sum((price(CONFIG, "m", one) or Decimal(0) for _, one in rest), Decimal(0))
    assert found.usd is not None
    low, expected, high = found.usd
    assert low <= bill <= high
    assert abs(expected / bill - 1) < Decimal("0.15")
    assert rates.learned_from >= SAMPLE
