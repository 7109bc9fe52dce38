"""The parts of a client: limits, budget, forms, prices, tokens."""

from typing import Literal

import pytest
from pydantic import BaseModel, Field

from graphrag_tasks.llm.schema import InvalidAnswerError, validated


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
