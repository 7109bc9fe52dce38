"""What is wrong with an endpoint is said early, costs little, and never shows the key."""

import logging
import traceback
from decimal import Decimal
from pathlib import Path

import pytest

from graphrag_tasks.core.config import BudgetConfig
from graphrag_tasks.core.errors import (
    BudgetError,
    EndpointError,
    TransientError,
    UnusableAnswersError,
)
from graphrag_tasks.llm import Answer, Client, Failure
from graphrag_tasks.llm.answers import Kind
from graphrag_tasks.llm.checks import Checks
from graphrag_tasks.llm.refusals import without_key
from tests.llm.endpoint import Body, scripted
from tests.llm.test_client import requests, settings, spent

LONG = '{"title": "' + "word " * 600 + '", "tags": []}'
OVERSHOOT = Decimal("0.0013")
"""USD of such an answer and its prompt, at most."""


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
        again = Client(config, str(tmp_path), "run").abilities("summarize")
        assert again.overlong > 9  # a later run sets as much aside from its first request on
    (said,) = [one.message for one in caplog.records if "ignores the limit" in one.message]
    assert "m at http://127.0.0.1" in said
    assert "602 tokens, 60 were allowed" in said


def test_an_endpoint_that_knows_the_limit_by_another_name_is_asked_by_that(tmp_path: Path) -> None:
    def answer(body: Body) -> str:
        return '{"title": "short", "tags": []}' if "max_tokens" in body else LONG

    with scripted(answer=answer) as endpoint:
        Client(settings(endpoint, concurrency=1), str(tmp_path), "run").ask(requests(5))
        assert ["max_tokens" in body for body in endpoint.bodies] == [False, *[True] * 4]


def test_what_a_model_thinks_is_counted_where_only_the_total_has_it(tmp_path: Path) -> None:
    def with_thoughts(_: Body) -> dict[str, int]:
        return {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 145}

    with scripted(usage_of=with_thoughts) as endpoint:
        (found,) = Client(settings(endpoint), str(tmp_path), "run").ask(requests(1))
    assert isinstance(found, Answer)
    assert found.usage.completion_tokens == 45


def test_cut_answers_are_named_while_few_are_paid(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with scripted(faults=1.0, kinds=("long",)) as endpoint:
        client = Client(settings(endpoint, concurrency=1), str(tmp_path), "run")
        with pytest.raises(UnusableAnswersError, match=r"11 of the first 11.*Raise extract.llm"):
            client.ask(requests(170))
        assert endpoint.requests == 11
    assert "5 of the first 5 answers are longer than they may be. Raise" in caplog.text


def test_some_cut_answers_are_named_once_and_the_run_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    checks = Checks(settings("http://x/v1"))
    for number in range(40):
        checks.count(Kind.ANSWERED if number % 3 else Kind.TRUNCATED)
    assert caplog.text.count("answers are longer than they may be") == 1
    few = Checks(settings("http://x/v1"))
    caplog.clear()
    for number in range(40):
        few.count(Kind.ANSWERED if number % 6 else Kind.TRUNCATED)
    assert not caplog.text


@pytest.mark.parametrize("shown", ["{key}", "{key:.6}{stars}{end}", "...{end}", "{key:.20}"])
def test_a_key_that_is_echoed_is_in_no_message(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    shown: str,
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
            with pytest.raises(
                (EndpointError, TransientError), match=r"provided: \*\*\*"
            ) as raised:
                client.ask(requests(1))
        whole = "".join(traceback.format_exception(raised.value)) + caplog.text
        assert key not in whole
        assert echoed not in whole.replace("***", "")
    kept = "".join(one.read_text() for one in tmp_path.rglob("*.json*"))
    assert echoed not in kept


@pytest.mark.parametrize("key", ["", "x", "none"[:3]])
def test_a_stand_in_for_a_key_hides_nothing(key: str) -> None:
    assert without_key("no exit: nonexistent", key) == "no exit: nonexistent"


def test_a_person_waits_for_a_busy_endpoint_no_longer_than_is_set() -> None:
    def busy(_: Body) -> tuple[int, dict[str, object]]:
        return 429, {"message": "Rate limit reached", "code": "rate_limit_exceeded"}

    one, other = requests(2)
    with scripted(refuse=busy, headers={"retry-after": "600"}) as endpoint:
        client = Client(settings(endpoint, answers={"wait_seconds": 30}))
        said = r"busy or away for 600 s more, 30 s are waited.*Rate limit reached.*wait_seconds"
        with pytest.raises(TransientError, match=said):
            client.ask_one(one)
        with pytest.raises(TransientError, match=r"other requests were told to wait"):
            client.ask_one(other)
        assert endpoint.requests == 1  # the second need not be sent to know


def test_a_person_waits_for_a_broken_endpoint_no_longer_than_is_set() -> None:
    with scripted(faults=1.0, kinds=("error",)) as endpoint:
        config = settings(endpoint, answers={"wait_seconds": 0.1})
        with pytest.raises(TransientError, match=r"status 500: our fault"):
            Client(config).ask_one(requests(1)[0])
        assert endpoint.requests == 1


def test_a_refusal_that_names_nothing_is_taken_for_one_of_the_schema(tmp_path: Path) -> None:
    def refuse(body: Body) -> tuple[int, dict[str, object]] | None:
        if "response_format" not in body:
            return None
        return 400, {"code": 400, "message": "Request contains an invalid argument."}

    with scripted(refuse=refuse, answer=lambda _: '{"title": "a", "tags": []}') as endpoint:
        client = Client(settings(endpoint, concurrency=1), str(tmp_path), "run")
        assert all(isinstance(one, Answer) for one in client.ask(requests(2)))
        with pytest.raises(EndpointError, match="invalid argument"):  # without a schema it is not
            endpoint.script.refuse = lambda _: (400, {"message": "invalid argument"})
            client.ask(requests(1, words=3))
    assert not isinstance(client.known(requests(1))[0][1], Failure)
