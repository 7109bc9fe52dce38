"""What is wrong with an endpoint is said early, costs little, and never shows the key."""

import logging
import traceback
from decimal import Decimal
from pathlib import Path

import pytest

from graphrag_tasks.core.config import BudgetConfig
from graphrag_tasks.core.errors import BudgetError, EndpointError, TransientError, UnusableAnswersError
from graphrag_tasks.llm import Client
from tests.llm.endpoint import Body, scripted
from tests.llm.test_client import requests, settings, spent

LONG = '{"title": "' + "word " * 600 + '", "tags": []}'
OVERSHOOT = Decimal("0.0013")  # USD of such an answer and its prompt, at most.


@pytest.mark.parametrize("usd", ["0.0006", "0.0020", "0.0050"])
@pytest.mark.parametrize("concurrency", [1, 4])
def test_an_endpoint_that_ignores_the_limit_passes_the_cap_once_at_most(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, usd: str, concurrency: int
) -> None:
    budget = BudgetConfig(usd=float(usd))
    with scripted(answer=lambda _: LONG, delay=0.02) as endpoint:
        config = settings(endpoint, budget=budget, concurrency=concurrency)
        with pytest.raises(BudgetError):
            Client(config, str(tmp_path), "run").ask(requests(40))
        billed = Decimal(endpoint.prompt_tokens + 2 * endpoint.completion_tokens) / 1_000_000
        assert spent(tmp_path) == billed  # the overshoot counts
        assert billed <= Decimal(usd) + concurrency * OVERSHOOT  # those that were under way
        if concurrency == 1:
            assert billed <= max(Decimal(usd), OVERSHOOT)
            assert endpoint.requests == max(1, int(Decimal(usd) / OVERSHOOT))
    (said,) = [one.message for one in caplog.records if "ignores the limit" in one.message]
    assert "m at http://127.0.0.1" in said
    assert "602 tokens, 60 were allowed" in said


def test_cut_answers_are_named_while_few_are_paid(tmp_path: Path) -> None:
    with scripted(faults=1.0, kinds=("long",)) as endpoint:
        client = Client(settings(endpoint, concurrency=1), str(tmp_path), "run")
        with pytest.raises(UnusableAnswersError, match=r"11 of the first 11.*11 truncated.*Raise extract.llm"):
            client.ask(requests(170))
        assert endpoint.requests == 11


@pytest.mark.parametrize("shown", ["{key}", "{key:.6}{stars}{end}", "...{end}", "{key:.20}"])
def test_a_key_that_is_echoed_is_in_no_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, shown: str
) -> None:
    key = "sk-proj-Q7w8E9r0T1y2U3i4O5p6"
    echoed = shown.format(key=key, stars="*" * 30, end=key[-4:])
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("GRAPHRAG_LLM_API_KEY", key)
    monkeypatch.setattr("graphrag_tasks.llm.sender.ATTEMPTS", 2)
    for status in (400, 401, 404, 500):
        error = {"message": f"Incorrect API key provided: {echoed}. You can find yours at X."}
        with scripted(refuse=lambda _, it=(status, error): it) as endpoint:
            config = settings(endpoint, concurrency=1)
            client = Client(config, str(tmp_path / str(status)), "run")
            with pytest.raises((EndpointError, TransientError), match=r"provided: \*\*\*") as raised:
                client.ask(requests(1))
        whole = "".join(traceback.format_exception(raised.value)) + caplog.text
        assert key not in whole
        assert echoed not in whole.replace("***", "")
    kept = "".join(one.read_text() for one in tmp_path.rglob("*.json*"))
    assert echoed not in kept


def test_a_person_waits_for_a_busy_endpoint_no_longer_than_is_set() -> None:
    def busy(_: Body) -> tuple[int, dict[str, object]]:
        return 429, {"message": "Rate limit reached", "code": "rate_limit_exceeded"}

    one, other = requests(2)
    with scripted(refuse=busy, headers={"retry-after": "600"}) as endpoint:
        client = Client(settings(endpoint), patience=30)
        said = r"busy or away for 600 s more: Rate limit reached"
        with pytest.raises(TransientError, match=said):
            client.ask_one(one)
        with pytest.raises(TransientError, match=r"other requests were told to wait"):
            client.ask_one(other)
        assert endpoint.requests == 1  # the second need not be sent to know
