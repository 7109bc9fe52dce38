"""What requests will cost, as a sample of them foretells it."""

import random
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from benchmarks.llm_forecast import KINDS, measure
from graphrag_tasks.core.config import LlmConfig, ModelPrice
from graphrag_tasks.llm import Answer, Client, Request
from graphrag_tasks.llm.answers import Usage
from graphrag_tasks.llm.forecast import Rates, forecast
from graphrag_tasks.llm.prices import price
from graphrag_tasks.llm.tokens import count
from tests.llm.endpoint import Body, scripted
from tests.llm.test_client import requests, settings

CONFIG = LlmConfig(model="m", prices={"m": ModelPrice(input=0.15, output=0.6)})
FORM = '{"title": "a", "tags": []}'
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


@pytest.mark.parametrize("seed", range(2))
def test_with_faults_the_bill_is_within_the_range_of_a_probe(seed: int) -> None:
    found = measure(seed, number=160, probe=64, faults=0.15, kinds=KINDS)
    assert found.is_inside
    assert found.high < 2 * found.expected
    assert found.billed < found.recorded  # what was cut off counts, and is not always billed


def test_the_form_of_an_answer_is_counted() -> None:
    one = requests(1)[0]
    plain = replace(one, answer=None)
    with_form, without = (
        forecast([it], 0, CONFIG, "m", Rates(), Decimal(1)).prompt_tokens for it in (one, plain)
    )
    assert with_form[1] - without[1] == count(one.form) > 40


def test_what_is_asked_twice_counts_twice(tmp_path: Path) -> None:
    def answer(body: Body) -> str:
        return "prose" if "could not be used" not in body["messages"][-1]["content"] else FORM

    asked = requests(30)
    with scripted(answer=answer, count=count) as endpoint:
        client = Client(settings(endpoint), str(tmp_path), "run")
        assert all(isinstance(one, Answer) for one in client.ask(asked))
        assert client.rates(asked).factor[1] > 1.9


def test_too_few_answers_say_nothing() -> None:
    draw = random.Random(0)
    some = [(one, usage(one, draw)) for one in (request(draw) for _ in range(19))]
    assert Rates.learned(some) == Rates()
