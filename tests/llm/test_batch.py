"""Batches: found again whatever is lost, paid once, within the budget."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.errors import TransientError
from graphrag_tasks.llm import Answer, Client, Failure, Request
from graphrag_tasks.llm.journal import Journal
from graphrag_tasks.llm.remote import RemoteBatches
from tests.llm.batches import BatchScript
from tests.llm.endpoint import ScriptedEndpoint, scripted
from tests.llm.test_client import Form, attempts, journal_of, requests, settings, spent


def client(endpoint: ScriptedEndpoint, store: Path, run: str = "run", **changes: Any) -> Client:
    return Client(settings(endpoint, batch="auto", **changes), str(store), run)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphrag_tasks.llm.batch.BATCH_FROM", 10)


def batch(of: Client, asked: Sequence[Request]) -> int:
    return of.batch("summarize", asked, Form)


def read(endpoint: ScriptedEndpoint, store: Path, asked: Sequence[Request], **changes: Any) -> None:
    """Take batches until nothing is under way, and ask for the rest: all get an answer."""
    of = client(endpoint, store, **changes)
    for _ in range(9):
        if not batch(of, asked):
            break
    assert all(isinstance(one, Answer) for one in of.ask(asked))


def test_a_batch_answers_at_half_the_price(tmp_path: Path) -> None:
    asked = requests(30)
    with scripted(batch=BatchScript(looks=1)) as endpoint:
        of = client(endpoint, tmp_path / "batch")
        assert batch(of, asked) == 29  # one was asked at once
        assert batch(of, asked) == 29
        assert batch(of, asked) == 0
        found = of.ask(asked)
        assert endpoint.requests == 1
        assert not endpoint.batch.files  # neither documents nor answers stay there
        alone = Client(settings(endpoint), str(tmp_path / "alone"), "run")
        assert alone.ask(asked) == found
    whole = spent(tmp_path / "alone")
    assert spent(tmp_path / "batch") == pytest.approx(whole / 2, rel=Decimal("0.05"))
    assert not journal_of(tmp_path / "batch").batches()


class Killed(BaseException):
    """The worker is gone."""


STEPS: list[tuple[type, str]] = [
    (RemoteBatches, "upload"), (RemoteBatches, "create"), (RemoteBatches, "state"),
    (RemoteBatches, "find"), (RemoteBatches, "delete"),
    (Journal, "begin_batch"), (Journal, "write_batch"), (Journal, "settle"),
    (Journal, "forget_batch"), (Journal, "sending"), (Journal, "sent"),
]  # fmt: skip


@contextmanager
def killed(at: int, *, after: bool) -> Iterator[list[int]]:
    """Kill before or after the step of that number; yield a list with one item for each step."""
    steps: list[int] = []
    with pytest.MonkeyPatch.context() as patched:

        def dying(call: Callable[..., object]) -> Callable[..., object]:
            def step(*given: object, **named: object) -> object:
                steps.append(len(steps))
                this = len(steps) - 1
                if this == at and not after:
                    raise Killed
                found = call(*given, **named)
                if this == at:
                    raise Killed
                return found

            return step

        for owner, name in STEPS:
            patched.setattr(owner, name, dying(getattr(owner, name)))
        yield steps


def test_a_batch_whose_reply_was_lost_is_found_again(tmp_path: Path) -> None:
    asked = requests(20)
    with scripted() as endpoint:
        with pytest.MonkeyPatch.context() as patched:
            create = RemoteBatches.create

            def lost(*given: Any) -> None:
                create(*given)
                raise TransientError("the answer was cut off", endpoint.url)

            patched.setattr(RemoteBatches, "create", lost)
            with pytest.raises(TransientError):
                batch(client(endpoint, tmp_path), asked)
        read(endpoint, tmp_path, asked, run="another")
        assert (len(endpoint.batch.batches), endpoint.requests) == (1, 1)


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("next_run", ["run", "another"])
def test_killed_anywhere_no_request_is_paid_twice(tmp_path: Path, *, after: bool, next_run: str) -> None:
    asked, at, was_killed = requests(11), 0, True
    while was_killed:
        store = tmp_path / str(at)
        with scripted() as endpoint:
            with killed(at, after=after):
                try:
                    read(endpoint, store, asked)
                    was_killed = False
                except Killed:
                    pass
            read(endpoint, store, asked, run=next_run)
            assert max(endpoint.batch.paid.values()) == 1, at
            assert sum(endpoint.batch.paid.values()) + endpoint.requests <= 12, at
            assert not endpoint.batch.files, at
            told = sum(one.prompt_tokens for one in attempts(store))
            least = sum(len(f"{one.system} {one.user}".split()) for one in asked)
            assert told >= least, at
            assert spent(store) <= Decimal("0.01"), at
        at += 1
    assert at > 10


def test_what_a_batch_leaves_out_is_asked_at_once(tmp_path: Path) -> None:
    asked = requests(40)
    script = BatchScript(ends="expired", unanswered=4, failed=True)
    with scripted(batch=script) as endpoint:
        of = client(endpoint, tmp_path)
        batch(of, asked)
        assert batch(of, asked) == 0
        assert len(endpoint.batch.batches) == 1  # what failed once is in no batch again
        assert all(isinstance(one, Answer) for one in of.ask(asked))
        assert endpoint.requests == 1 + 10 + 1
    paid = sum(endpoint.batch.paid.values())
    assert paid == 29
    assert not [one for one in attempts(tmp_path) if one.fate != "sure"]


def test_a_batch_too_large_for_the_account_is_made_smaller(tmp_path: Path) -> None:
    asked = requests(50)
    with scripted(batch=BatchScript(limit=15)) as endpoint:
        of = client(endpoint, tmp_path)
        for _ in range(30):
            batch(of, asked)
        assert all(isinstance(one, Answer) for one in of.ask(asked))
        assert sum(endpoint.batch.paid.values()) >= 30
        assert max(endpoint.batch.paid.values()) == 1


def test_where_there_are_no_batches_requests_go_one_by_one(tmp_path: Path) -> None:
    asked = requests(20)
    with scripted(batch=BatchScript(api=False)) as endpoint:
        of = client(endpoint, tmp_path)
        assert batch(of, asked) == 0
        read(endpoint, tmp_path, asked)
        assert endpoint.requests == 20
    assert spent(tmp_path) < Decimal("0.01")


def test_a_cap_holds_for_batches(tmp_path: Path) -> None:
    asked = requests(60)
    budget = {"usd": 0.003}
    with scripted() as endpoint:
        of = client(endpoint, tmp_path, budget=budget)
        sizes = [batch(of, asked) for _ in range(8)]
        assert 10 < sizes[0] < 59
        assert len(endpoint.batch.batches) > 1  # what the first did not cost, others may
        found = of.ask(asked, until_spent=True)
        assert spent(tmp_path) <= Decimal("0.003")
        assert [one.kind for one in found if isinstance(one, Failure)] in ([], ["over_budget"])
        assert max(endpoint.batch.paid.values()) == 1


def test_an_endpoint_that_is_away_loses_nothing(tmp_path: Path) -> None:
    asked = requests(20)
    with scripted() as endpoint:
        of = client(endpoint, tmp_path)
        batch(of, asked)
        gone = client(endpoint, tmp_path)
        with pytest.MonkeyPatch.context() as patched:

            def away(*_: object) -> None:
                raise TransientError("no connection", endpoint.url)

            patched.setattr(RemoteBatches, "state", away)
            with pytest.raises(TransientError):
                batch(gone, asked)
        assert batch(gone, asked) == 0
