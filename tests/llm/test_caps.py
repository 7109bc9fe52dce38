"""No cap is passed, whatever an endpoint tells of tokens, and however many processes ask."""

import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.errors import BudgetError
from graphrag_tasks.llm import Client, sender
from tests.llm.endpoint import Body, Reply, ScriptedEndpoint, scripted
from tests.llm.test_client import attempts, requests, settings

CAP = 0.002
ABSENT = object()
TEXT = '{"title": "one two three four five six seven", "tags": []}'
BILLED = 20, 20  # Tokens that a request is billed, whatever is told.
SHAPES: list[Any] = [
    ABSENT, None, {}, [], "none", 0, 12, True, [{"prompt_tokens": 1}], {"usage": {}},
    {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    {"prompt_tokens": 0.0, "completion_tokens": 0.0}, {"prompt_tokens": "0"},
    {"prompt_tokens": 0, "completion_tokens": 20}, {"prompt_tokens": 20, "completion_tokens": 0},
    {"prompt_tokens": 20}, {"completion_tokens": 20}, {"total_tokens": 40}, {"total_tokens": 0},
    {"prompt_tokens": None, "completion_tokens": None, "total_tokens": None},
    {"prompt_tokens": -20, "completion_tokens": -20}, {"prompt_tokens": 20, "total_tokens": -1},
    {"prompt_tokens": 20, "completion_tokens": -20, "total_tokens": 0},
    {"prompt_tokens": False, "completion_tokens": True}, {"prompt_tokens": "many"},
    {"prompt_tokens": [20], "completion_tokens": [20]},
    {"prompt_tokens": {"text": 20}, "completion_tokens": {"text": 20}},
    {"prompt_tokens": 20, "completion_tokens": {"text": 20}, "total_tokens": "?"},
    {"prompt_tokens": float("nan"), "completion_tokens": float("nan")},
    {"prompt_tokens": float("inf"), "completion_tokens": 20},
    {"prompt_tokens": 10**30, "completion_tokens": 10**30}, {"prompt_tokens": 1e300},
    {"prompt_tokens": 20, "completion_tokens": 20, "prompt_tokens_details": [20]},
    {"prompt_tokens": 20, "completion_tokens": 20, "prompt_tokens_details": "20"},
    {"prompt_tokens": 20, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 9e9}},
    {"prompt_tokens": 20.0, "completion_tokens": 20.0}, {"input_tokens": 1, "output_tokens": 1},
    {"prompt_tokens": "20", "completion_tokens": "20"},
    {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
]  # fmt: skip


def told(shape: object) -> Reply:
    message = {"role": "assistant", "content": TEXT}
    body: Body = {"model": "m", "choices": [{"message": message, "finish_reason": "stop"}]}
    return Reply(200, body if shape is ABSENT else {**body, "usage": shape})


def billed(endpoint: ScriptedEndpoint) -> float:
    return endpoint.requests * (BILLED[0] + 2 * BILLED[1]) / 1_000_000


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "none" if type(shape) is object else str(shape))
def test_no_shape_of_usage_passes_a_cap(tmp_path: Path, shape: object) -> None:
    with scripted(reply=lambda _: told(shape)) as endpoint:
        config = settings(endpoint, budget={"usd": CAP}, concurrency=4)
        with pytest.raises(BudgetError):
            Client(config, str(tmp_path), "run").ask(requests(60, words=10))
        assert 0 < billed(endpoint) <= CAP
    costs = [one.usd for one in attempts(tmp_path)]
    assert None not in costs and sum(map(Decimal, costs)) <= Decimal(str(CAP))  # type: ignore[arg-type]


USAGE = {"prompt_tokens": 20, "completion_tokens": 20}


@pytest.mark.slow
def test_two_processes_share_the_cap_of_a_month(tmp_path: Path) -> None:
    with scripted(reply=lambda _: told(USAGE)) as endpoint:
        script = (
            "import sys; from graphrag_tasks.llm import Client, sender; "
            "sender._WAITS_FOR_OTHERS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4); "
            "from tests.llm.test_client import requests, settings; "
            f"config = settings({endpoint.url!r}, budget={{'usd': 0, 'month_usd': {CAP}}}); "
            f"client = Client(config, {str(tmp_path)!r}, sys.argv[1]); client.spent; "
            "print(flush=True); input(); "
            "client.ask(requests(180, words=10)[int(sys.argv[1])::2])"
        )
        started = [
            subprocess.Popen(  # noqa: S603 - this interpreter
                [sys.executable, "-c", script, run],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
            for run in "01"
        ]  # fmt: skip
        for one in started:
            assert one.stdout and one.stdout.readline()  # it has read what was spent
        for one in started:
            assert one.stdin
            one.stdin.write("\n")
            one.stdin.flush()
        said = [one.communicate(timeout=60)[1] for one in started]
        assert all("BudgetError" in text and "month_usd" in text for text in said), said
        assert CAP / 4 < billed(endpoint) <= CAP


def test_clients_of_one_run_share_its_cap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender, "_WAITS_FOR_OTHERS", ())
    with scripted(reply=lambda _: told(USAGE)) as endpoint:
        config = settings(endpoint, budget={"usd": CAP}, concurrency=2)
        clients = [Client(config, str(tmp_path), "run") for _ in range(3)]
        assert not sum(one.spent.tokens for one in clients)  # all have read what was spent
        for place, one in enumerate(clients):
            with pytest.raises(BudgetError):
                one.ask(requests(180, words=10)[place::3])
        assert CAP / 4 < billed(endpoint) <= CAP
