"""What a client owes its user: each answer once, within the budget, and no bad one kept."""

import json
import logging
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import fields
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from graphrag_tasks.core.config import BudgetConfig, LlmConfig, ModelPrice
from graphrag_tasks.core.errors import BudgetError, ConfigError, EndpointError, PriceError, TransientError
from graphrag_tasks.llm import Answer, Client, Failure, Request
from graphrag_tasks.llm.journal import Attempt, Journal, answers_file
from graphrag_tasks.llm.request import Kind
from tests.llm.endpoint import Body, ScriptedEndpoint, scripted


class Form(BaseModel):
    title: str
    tags: list[str]


def settings(endpoint: ScriptedEndpoint | str, **changes: object) -> LlmConfig:
    url = endpoint if isinstance(endpoint, str) else endpoint.url
    given = {"base_url": url, "model": "m", "prices": {"m": ModelPrice(input=1, output=2)}, **changes}
    return LlmConfig.model_validate(given)


def requests(count: int, words: int = 5, form: type[BaseModel] | None = Form) -> list[Request]:
    return [Request("summarize", "Do it.", f"text {place} " * words, form, 60) for place in range(count)]


def journal_of(store: Path | str) -> Journal:
    return Journal(answers_file(LlmConfig(), str(store)))


def rows(store: Path, query: str) -> list[tuple[Any, ...]]:
    file = answers_file(LlmConfig(), str(store))
    if not file.exists():
        return []
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(query).fetchall()


def kept(store: Path) -> list[Answer]:
    """Return the answers that a store has."""
    keys = [key for (key,) in rows(store, "SELECT key FROM answers")]
    found = journal_of(store).known(keys).values()
    return [one for one in found if isinstance(one, Answer)]


def attempts(store: Path, run: str | None = None) -> list[Attempt]:
    """Return what a store has on record."""
    columns = ", ".join(one.name for one in fields(Attempt) if one.name != "usd")
    found = rows(store, f"SELECT {columns}, picodollars FROM attempts")  # noqa: S608
    prices = [None if usd is None else str(Decimal(usd).scaleb(-12)) for *_, usd in found]
    told = [Attempt(*(*row[:-1], usd)) for row, usd in zip(found, prices, strict=True)]
    return [one for one in told if run in (None, one.run)]


def spent(store: Path) -> Decimal:
    return sum((Decimal(one.usd or 0) for one in attempts(store)), Decimal(0))


def test_answers_come_in_order_and_are_asked_for_once(tmp_path: Path) -> None:
    asked = requests(12)
    with scripted() as endpoint:
        client = Client(settings(endpoint), str(tmp_path), "run")
        found = client.ask([*asked, asked[0]])
        assert [one.parsed(Form).title[:7].strip() for one in found if isinstance(one, Answer)] == [
            *(f"text {place}" for place in range(12)), "text 0"
        ]  # fmt: skip
        assert endpoint.requests == 12
        assert client.ask(asked) == found[:12]
        assert endpoint.requests == 12
    again = Client(settings("http://127.0.0.1:9/v1"), str(tmp_path))
    assert again.ask(asked) == found[:12]  # the endpoint is gone, the answers are not


@pytest.mark.parametrize("seed", range(3))
def test_through_faults_each_answer_arrives_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr("graphrag_tasks.llm.sender.ATTEMPTS", 9)
    asked = requests(40)
    with scripted(faults=0.3, seed=seed) as endpoint:
        found = Client(settings(endpoint), str(tmp_path), "run").ask(asked)
        assert all(isinstance(one, Answer) for one in found)
        assert endpoint.asked_after_delivery == 0
        assert sum(endpoint.faulty.values()) > 5
    assert len(kept(tmp_path)) == 40


@pytest.mark.parametrize(
    ("fault", "kind"),
    [("prose", Kind.INVALID), ("refusal", Kind.REFUSED), ("empty", Kind.EMPTY), ("long", Kind.TRUNCATED)],
)
def test_what_is_no_answer_is_not_kept_and_has_a_reason(tmp_path: Path, fault: str, kind: Kind) -> None:
    with scripted() as endpoint:
        client = Client(settings(endpoint), str(tmp_path), "run")
        assert isinstance(client.ask(requests(1))[0], Answer)
        endpoint.script.faults, endpoint.script.kinds = 1.0, (fault,)
        (found,) = client.ask([Request("summarize", "Do it.", "another", Form, 60)])
    assert isinstance(found, Failure)
    assert (found.kind, bool(found.why)) == (kind, True)
    assert len(kept(tmp_path)) == 1


@pytest.mark.parametrize("seed", range(5))
def test_what_stayed_bad_is_taken_as_it_is_by_a_rebuild_without_the_endpoint(tmp_path: Path, seed: int) -> None:
    asked = requests(30)
    with scripted(kinds=("prose", "refusal", "long"), seed=seed) as endpoint:
        config = settings(endpoint, concurrency=1)
        Client(settings(endpoint), str(tmp_path), "run").ask(asked[:1])
        endpoint.script.faults = 0.4
        found = Client(config, str(tmp_path), "run").ask(asked)
        failed = [one for one in found if isinstance(one, Failure)]
        assert failed
        before = endpoint.requests
        assert Client(config, str(tmp_path), "other").ask(asked) == found
        assert endpoint.requests == before
        told = Client(config, str(tmp_path), "other").forecast(asked)
        assert (told.requests, told.known) == (0, 30)
        endpoint.script.faults = 0.0
        again = Client(settings(endpoint, retry_failed=True), str(tmp_path), "third").ask(asked)
        assert all(isinstance(one, Answer) for one in again)
        assert endpoint.requests == before + len(failed)
    assert Client(config, str(tmp_path), "fourth").ask(asked) == again


def test_a_model_that_spends_its_tokens_on_thinking_is_refused(tmp_path: Path) -> None:
    with (
        scripted(faults=1.0, kinds=("empty",)) as endpoint,
        pytest.raises(EndpointError, match=r"11 empty.*reasoning_effort"),
    ):
        Client(settings(endpoint), str(tmp_path), "run").ask(requests(30))


def test_a_busy_endpoint_is_left_alone_as_long_as_it_asks(tmp_path: Path) -> None:
    calls = iter([True])

    def refuse(_: Body) -> tuple[int, dict[str, object]] | None:
        return (429, {"message": "slow", "code": "rate_limit_exceeded"}) if next(calls, 0) else None

    with scripted(refuse=refuse, headers={"retry-after": "0.6"}) as endpoint:
        Client(settings(endpoint, concurrency=1), str(tmp_path), "run").ask(requests(3))
        assert endpoint.times[1] - endpoint.times[0] >= 0.6


def test_an_endpoint_that_stays_away_ends_the_run_and_answers_stay(tmp_path: Path) -> None:
    with scripted(faults=1.0, kinds=("error",)) as endpoint:
        client = Client(settings(endpoint), str(tmp_path), "r")
        with pytest.raises(TransientError, match=r"status 500.*Run again: answers so far are kept"):
            client.ask(requests(2))
        assert client.spent.usd == 0


@pytest.mark.parametrize(
    ("refused", "what"),
    [
        ((401, {"message": "bad key"}), "the key is refused.*GRAPHRAG_LLM_API_KEY"),
        ((404, {"message": "no model m"}), "no such model or address.*llm.model"),
        ((429, {"message": "pay", "code": "insufficient_quota"}), "no money left"),
        ((400, {"message": "temperature must be 1", "param": "temperature"}), "status 400: temper"),
        ((307, {}), "redirects to elsewhere, which is not followed"),
    ],
)
def test_what_stays_wrong_is_asked_once(tmp_path: Path, refused: tuple[int, dict[str, object]], what: str) -> None:
    with scripted(refuse=lambda _: refused) as endpoint:
        client = Client(settings(endpoint, concurrency=1), str(tmp_path), "run")
        with pytest.raises(EndpointError, match=what):
            client.ask(requests(4))
        assert endpoint.requests == 1


def test_an_address_without_a_server_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphrag_tasks.llm.sender.ATTEMPTS", 1)
    config = settings("http://127.0.0.1:9/v1")
    with pytest.raises(TransientError, match=r"http://127.0.0.1:9/v1: no connection to 127.0.0.1"):
        Client(config, str(tmp_path), "run").ask(requests(1))


@pytest.mark.parametrize("cap", [{"usd": 0.001}, {"usd": 0, "tokens": 1200}])
def test_the_budget_is_never_passed_and_the_rest_is_small(tmp_path: Path, cap: dict[str, float]) -> None:
    budget = BudgetConfig.model_validate(cap)
    with scripted(delay=0.01) as endpoint:
        with pytest.raises(BudgetError, match=r"could pass the cap.*Raise llm.budget"):
            Client(settings(endpoint, budget=budget), str(tmp_path), "run").ask(requests(60))
        told = endpoint.prompt_tokens + endpoint.completion_tokens
        billed = (endpoint.prompt_tokens + 2 * endpoint.completion_tokens) / 1e6
        worst_tokens = len(b"Do it.") + 50 + len(requests(1)[0].form) + 16 + 60
        if budget.usd:
            assert budget.usd - (worst_tokens + 60) / 1e6 <= billed <= budget.usd
        else:
            assert budget.tokens - worst_tokens <= told <= budget.tokens
        answered = len(kept(tmp_path))
        higher = settings(endpoint, budget=BudgetConfig(usd=1))
        before = endpoint.requests
        Client(higher, str(tmp_path), "run").ask(requests(60))
        assert endpoint.requests - before == 60 - answered
        assert endpoint.asked_after_delivery == 0


def test_a_model_without_a_price_is_refused_where_money_is_capped(tmp_path: Path) -> None:
    config = settings("http://127.0.0.1:9/v1", prices={})
    with pytest.raises(PriceError, match=r"price of m is not known.*llm.prices"):
        Client(config, str(tmp_path), "run").ask(requests(1))


def test_no_model_and_no_key_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRAPHRAG_LLM_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match=r"llm.model: no model is named"):
        Client(LlmConfig(), str(tmp_path), "run").ask(requests(1))
    with pytest.raises(EndpointError, match="there is no key"):
        Client(LlmConfig(model="gpt-4o-mini"), str(tmp_path), "run").ask(requests(1))


def test_nothing_of_openais_environment_is_obeyed_and_no_prompt_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("API_KEY", "ORG_ID", "PROJECT_ID", "BASE_URL", "ADMIN_KEY", "WEBHOOK_SECRET"):
        monkeypatch.setenv(f"OPENAI_{name}", "http://127.0.0.1:9/secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Leak: secret\nAuthorization: Bearer secret")
    monkeypatch.setenv("OPENAI_LOG", "debug")
    caplog.set_level(logging.DEBUG)
    with scripted(faults=0.3, seed=1) as endpoint:
        # One at a time: then the endpoint's faults come in a fixed order.
        one_by_one = settings(endpoint, concurrency=1)
        Client(one_by_one, str(tmp_path), "run").ask(requests(8))
        assert all("secret" not in json.dumps(headers) for headers in endpoint.headers)
        assert all("authorization" not in headers for headers in endpoint.headers)
        monkeypatch.setenv("GRAPHRAG_LLM_API_KEY", "own-key")
        Client(settings(endpoint), str(tmp_path), "run").ask(requests(9)[8:])
        assert endpoint.headers[-1]["authorization"] == "Bearer own-key"
    written = b"".join(one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()).decode(errors="ignore")
    assert "text 3" in written  # answers say what was asked, and the log of a run does not
    for secret in ("own-key", "text 3 text 3"):
        assert secret not in caplog.text
    assert "own-key" not in written


_KILLED = """
import sys
from graphrag_tasks.llm import Client
from tests.llm.test_client import requests, settings
Client(settings(sys.argv[1], concurrency=4), sys.argv[2], "run").ask(requests(60))
"""


def test_a_kill_loses_no_answer_and_repeats_only_what_was_under_way(tmp_path: Path) -> None:
    with scripted(delay=0.05, faults=0.1, kinds=("busy_after", "error", "cut")) as endpoint:
        for kill in (20, None):
            command: Sequence[str] = [sys.executable, "-c", _KILLED, endpoint.url, str(tmp_path)]
            process = subprocess.Popen(command)  # noqa: S603
            while kill and endpoint.requests < kill:
                time.sleep(0.005)
            if kill:
                process.send_signal(signal.SIGKILL)
            assert process.wait() == (-signal.SIGKILL if kill else 0)
        assert len(kept(tmp_path)) == 60
        assert endpoint.asked_after_delivery <= 2 * 4
        billed = (endpoint.prompt_tokens + 2 * endpoint.completion_tokens) / 1e6
        assert billed <= spent(tmp_path)
