"""An answer in pieces: told at once, and kept, paid and counted as one that came whole."""

from __future__ import annotations

import time
from decimal import Decimal
from pathlib import Path

import pytest

from graphrag_tasks.core.errors import BudgetError, TransientError
from graphrag_tasks.llm import Answer, Client, Request
from graphrag_tasks.llm.journal import UNSURE
from tests.llm.endpoint import Body, scripted
from tests.llm.test_client import attempts, settings

ASKED = Request("answer", "Answer.", "How many jobs does the queue hold?", None, 50)
TEXT = "The queue holds 90 jobs. It is emptied each night."


def say(_: Body) -> str:
    return TEXT


def test_pieces_are_told_as_they_come_and_make_the_answer(tmp_path: Path) -> None:
    told: list[str] = []
    with scripted(answer=say) as endpoint:
        client = Client(settings(endpoint), str(tmp_path), "run")
        found = client.ask_one(ASKED, tell=told.append)
        assert isinstance(found, Answer)
        assert (found.text, "".join(told)) == (TEXT, TEXT)
        assert len(told) == 10
        assert found.usage.completion_tokens == 10
        (attempt,) = attempts(tmp_path, "run")
        assert (attempt.fate, attempt.kind) == ("sure", "answered")
        assert client.spent.usd == Decimal(attempt.usd or 0)
        told.clear()
        assert client.ask_one(ASKED, tell=told.append) == found
        assert told == [TEXT]
        assert client.ask([ASKED]) == [found]
        assert endpoint.requests == 1


def test_a_stream_that_breaks_off_is_paid_in_full_and_asked_for_again(tmp_path: Path) -> None:
    told: list[str] = []
    with scripted(answer=say, faults=1.0, kinds=("broken",)) as endpoint:
        client = Client(settings(endpoint), str(tmp_path), "run")
        with pytest.raises(TransientError, match="cut off"):
            client.ask_one(ASKED, tell=told.append)
        assert "".join(told).split() == ["The", "queue", "holds"]
        found = attempts(tmp_path, "run")
        assert [one.fate for one in found] == [UNSURE] * 5
        assert client.spent.usd == sum((Decimal(one.usd or 0) for one in found), Decimal(0))
        endpoint.script.faults = 0.0
        assert isinstance(client.ask_one(ASKED, tell=told.append), Answer)


def test_an_endpoint_that_does_not_stream_answers_at_once(tmp_path: Path) -> None:
    told: list[str] = []
    with scripted(answer=say, streams=False) as endpoint:
        assert isinstance(Client(settings(endpoint), str(tmp_path), "run").ask_one(ASKED, tell=told.append), Answer)
        assert (told, endpoint.requests) == ([TEXT], 1)


@pytest.mark.parametrize("fault", ["drip", "pings"])
@pytest.mark.parametrize("streams", [True, False])
def test_a_body_that_drips_ends_with_the_time_of_a_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, streams: bool
) -> None:
    monkeypatch.setattr("graphrag_tasks.llm.sender.ATTEMPTS", 1)
    with scripted(faults=1.0, kinds=(fault,)) as endpoint:
        config = settings(endpoint, timeout_seconds=0.4)
        tell = (lambda _: None) if streams else None
        began = time.monotonic()
        with pytest.raises(TransientError, match=r"no answer within 0\.4 s|timed out|more than 0\.4 s"):
            Client(config, str(tmp_path), "run").ask_one(ASKED, tell=tell)
        assert time.monotonic() - began < 10
    assert [one.fate for one in attempts(tmp_path, "run")] == [UNSURE]


def test_a_question_has_a_cap_of_its_own_within_the_runs() -> None:
    with scripted(answer=say) as endpoint:
        client = Client(settings(endpoint, budget={"usd": 1}))
        little = client.part_of_budget(0.000001)
        with pytest.raises(BudgetError, match=r"cap of 0\.000001 USD"):
            client.ask_one(ASKED, little)
        assert endpoint.requests == 0
        enough = client.part_of_budget(0.01)
        client.ask_one(ASKED, enough)
        assert enough.spent == client.spent
        assert enough.spent.tokens > 0
