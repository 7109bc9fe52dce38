"""The parts of a client: limits, budget, forms, prices, tokens."""

import math
from decimal import Decimal
from threading import Condition
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from graphrag_tasks.core.config import LlmConfig, ModelPrice
from graphrag_tasks.core.errors import BudgetError
from graphrag_tasks.llm import tokens
from graphrag_tasks.llm.answers import Usage
from graphrag_tasks.llm.budget import Budget, Cost
from graphrag_tasks.llm.limits import Limiter
from graphrag_tasks.llm.prices import price
from graphrag_tasks.llm.schema import InvalidAnswerError, strict_schema, validated


class Clock:
    """A clock that waiting moves on."""

    def __init__(self, limiter_waits: list[float]) -> None:
        self.now = 0.0
        self.waits = limiter_waits

    def __call__(self) -> float:
        return self.now


def times(limiter: Limiter, clock: Clock, count: int, size: int = 1) -> list[float]:
    found = []
    for _ in range(count):
        limiter.take(size)
        found.append(clock.now)
    return found


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock([])

    class Waiting(Condition):
        """Other threads of the process wait by their own."""

        def wait(self, timeout: float | None = None) -> bool:
            made.now += timeout or 0
            return True

    monkeypatch.setattr("graphrag_tasks.llm.limits.Condition", Waiting)
    return made


@pytest.mark.parametrize("allowed", [6, 60, 600])
def test_in_any_minute_there_are_as_many_requests_as_are_allowed(
    clock: Clock, allowed: int
) -> None:
    sent = times(Limiter(allowed, clock=clock), clock, 4 * allowed)
    counts = [sum(start <= one < start + 60 for one in sent) for start in sent[: 2 * allowed]]
    assert max(counts) <= allowed
    assert min(counts) >= math.floor(0.95 * allowed)


def test_large_requests_wait_for_their_tokens(clock: Clock) -> None:
    sent = times(Limiter(tokens=6000, clock=clock), clock, 3, size=1000)
    assert sent == pytest.approx([0, 10, 20])


def test_what_an_endpoint_says_is_left_is_obeyed(clock: Clock) -> None:
    limiter = Limiter(clock=clock)
    limiter.told(
        {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m2.5s",
         "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "250ms"}
    )  # fmt: skip
    assert times(limiter, clock, 2) == pytest.approx([62.5, 62.5])


COSTS = st.builds(
    Cost, st.decimals(0, 1, places=3).map(Decimal), st.integers(min_value=0, max_value=1000)
)


@given(st.lists(st.tuples(COSTS, st.floats(0, 1))), st.integers(1, 3000))
def test_no_order_of_requests_passes_the_caps(asked: list[tuple[Cost, float]], cap: int) -> None:
    budget = Budget(Decimal(2), cap)
    for worst, share in asked:
        try:
            budget.reserve(worst)
        except BudgetError:
            continue
        usd = (worst.usd or Decimal(0)) * Decimal(share).quantize(Decimal("0.01"))
        budget.settle(worst, Cost(min(usd, worst.usd or usd), int(worst.tokens * share)))
        assert budget.spent.tokens <= cap
        assert (budget.spent.usd or 0) <= 2


def test_what_a_run_spent_before_a_kill_counts() -> None:
    budget = Budget(Decimal("0.01"), 0, spent=Cost(Decimal("0.009"), 10))
    with pytest.raises(BudgetError, match=r"the cap of 0\.01 USD"):
        budget.reserve(Cost(Decimal("0.002"), 1))
    budget.reserve(Cost(Decimal("0.001"), 1))


class Part(BaseModel):
    name: str = Field(min_length=1, max_length=9)
    size: int | None = Field(ge=0)


class Whole(BaseModel):
    """Said of the whole."""

    kind: Literal["a", "b"]
    parts: list[Part]
    score: float = Field(0.5, ge=0, le=1)


def test_a_schema_is_in_the_subset_that_all_endpoints_read() -> None:
    schema = strict_schema(Whole)
    assert schema["required"] == ["kind", "parts", "score"]
    assert schema["additionalProperties"] is False
    part = schema["$defs"]["Part"]
    assert part["required"] == ["name", "size"]
    assert part["properties"]["name"] == {"type": "string"}
    assert part["properties"]["size"] == {"anyOf": [{"type": "integer"}, {"type": "null"}]}


GOOD = '{"kind": "a", "parts": [{"name": "x", "size": null}], "score": 1}'


@pytest.mark.parametrize(
    "text",
    [GOOD, f"```json\n{GOOD}\n```", f"<think>{{</think> {GOOD}", f"Here it is: {GOOD} Done."],
)
def test_what_stands_around_an_answer_is_taken_off(text: str) -> None:
    found = validated(text, Whole)
    assert isinstance(found, Whole)
    assert found.parts == [Part(name="x", size=None)]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("I will not.", "no JSON object"),
        ('{"kind": "a", "parts": [', "it is not JSON"),
        ('{"kind": "c", "parts": [], "score": 1}', "kind: Input should be 'a' or 'b'"),
        ('{"kind": "a", "parts": [{"name": "", "size": 1}], "score": 1}', r"parts.0.name"),
        ("{" * 100_000, "it is not JSON"),
        *(
            (GOOD.replace('"score": 1', f'"score": {odd}'), "no finite number")
            for odd in ("NaN", "Infinity", "-Infinity", "1e999")
        ),
    ],
)
def test_another_form_is_no_answer_and_nothing_is_mended(text: str, what: str) -> None:
    with pytest.raises(InvalidAnswerError, match=what):
        validated(text, Whole)


def test_prices_are_the_settings_then_the_list_then_unknown() -> None:
    own = LlmConfig(prices={"m": ModelPrice(input=1, output=3)})
    usage = Usage(1_000_000, 100_000)
    assert price(own, "m", usage) == Decimal("1.3")
    assert price(LlmConfig(), "gpt-4o-mini", usage) == Decimal("0.21")
    assert price(LlmConfig(), "nobody-knows-me", usage) is None
    assert price(LlmConfig(prices={"free": ModelPrice(input=0)}), "free", usage) == 0


@pytest.mark.parametrize("text", ["", "The table VBBS is replaced.", "Straße 東京 🙂" * 5])
def test_a_prompt_is_at_most_as_many_tokens_as_bytes(text: str) -> None:
    assert tokens.count(text) <= tokens.most(text)
    assert tokens.count("The table VBBS is replaced by the table VBBE.") in range(10, 18)
