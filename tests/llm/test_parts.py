"""The parts of a client: limits, budget, forms, prices, tokens."""

from decimal import Decimal
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from graphrag_tasks.core.errors import BudgetError
from graphrag_tasks.llm.budget import Budget, Cost
from graphrag_tasks.llm.request import InvalidAnswerError, validated


class Part(BaseModel):
    name: str = Field(min_length=1, max_length=9)
    size: int | None = Field(ge=0)


class Whole(BaseModel):
    """Said of the whole."""

    kind: Literal["a", "b"]
    parts: list[Part]
    score: float = Field(0.5, ge=0, le=1)


GOOD = '{"kind": "a", "parts": [{"name": "x", "size": null}], "score": 1}'


@pytest.mark.parametrize(
    "text", [GOOD, f"```json\n{GOOD}\n```", f"<think>{{</think> {GOOD}", f"Here it is: {GOOD} Done."]
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


COSTS = st.builds(Cost, st.decimals(0, 1, places=3).map(Decimal), st.integers(min_value=0, max_value=1000))


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
