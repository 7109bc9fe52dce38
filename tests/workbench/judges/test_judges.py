"""Judges: what is asked, what is counted, and which of them are found out by their check."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.llm import Client
from graphrag_tasks.workbench.judges import Answered, Judge, JudgedByHand, check_judge
from graphrag_tasks.workbench.judges.verdicts import (
    PRECISION,
    RELEVANT,
    aligned,
    context_precision,
    faithful,
    falsified,
    relevant,
)
from tests.llm.endpoint import ScriptedEndpoint, scripted
from tests.workbench.judges.scripted_judges import Body, Guesser, first_place, honest, judge, longer

ANSWERS = [
    Answered(
        f"q{number}", f"How many rows does table {number} have?",
        f"Table T{number} has {number + 10} rows and is read by report R{number}.",
        f"Table T{number} has {number + 10} rows and is read by report R{number}.",
        (f"Table T{number} has {number + 10} rows and is read by report R{number}.", "Nothing."),
    )
    for number in range(20)
]  # fmt: skip


@contextmanager
def asked(
    answer: Callable[[Body], str], store: Path | None = None, votes: int = 3, **config: object
) -> Iterator[tuple[Judge, ScriptedEndpoint]]:
    with scripted(answer=answer) as endpoint:
        settings = LlmConfig.model_validate(
            {"base_url": endpoint.url, "model": "scripted", "budget": {"usd": 0}} | config
        )
        yield Judge(Client(settings, str(store) if store else None), votes), endpoint


@pytest.mark.parametrize(
    ("compare", "faults"),
    [
        (honest, set()),
        (first_place, {"prefers a place", "changes its mind when the places are swapped"}),
        (longer, {"prefers the longer answer"}),
        (Guesser(), {"does not see wrong numbers, names and negations"}),
    ],
)
def test_a_judge_with_a_fault_is_found_out(compare: Callable[..., str], faults: set[str]) -> None:
    with asked(judge(compare)) as (one, _):
        found = check_judge(one, ANSWERS)
    assert faults <= set(found.faults)
    assert bool(faults) == bool(found.faults)


def test_a_person_is_the_measure_of_alignment() -> None:
    by_hand = [
        JudgedByHand(id=f"{one.id}-{said}", question_id=one.id, answer=text, verdict=said)
        for one in ANSWERS[:10]
        for text, said in ((one.reference, 1.0), ("Something else.", 0.0))
    ]
    with asked(judge(honest)) as (one, _):
        assert not check_judge(one, ANSWERS, by_hand).faults
        turned = [by.model_copy(update={"verdict": 1 - by.verdict}) for by in by_hand]
        assert check_judge(one, ANSWERS, turned).faults == ["does not agree with people"]


def test_the_measures_of_ragas_come_from_the_verdicts() -> None:
    def encode(texts: list[str]) -> np.ndarray:
        return np.array([[float(len(text)), 1.0] for text in texts], dtype=np.float32)

    with asked(judge(honest), votes=1) as (one, _):
        (precision,) = {tuple(found.value for found in both) for both in context_precision(one, ANSWERS)}
        assert precision == (0.5, 1.0)
        assert [both[0].measure for both in context_precision(one, ANSWERS[:1])] == [RELEVANT]
        assert context_precision(one, ANSWERS[:1])[0][1].measure == PRECISION
        assert {found.value for found in faithful(one, ANSWERS)} == {1.0}
        near = relevant(one, ANSWERS, encode)
        assert all(found.value is not None and found.value > 0.99 for found in near)
        empty = Answered("q", "What?", "That.", "", ())
        assert [found.value for found in (*aligned(one, [empty]), *faithful(one, [empty]))] == [0.0, None]


@pytest.mark.parametrize(
    ("text", "other"),
    [("It does not lock.", "It does lock."), ("The table is locked.", "The table is not locked."), ("Use VBBE.", None)],
)
def test_a_falsified_text_denies_what_it_said(text: str, other: str | None) -> None:
    assert falsified(text) == other
