"""What all runs of a month may spend together."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from graphrag_tasks.core.errors import BudgetError
from graphrag_tasks.llm import Client
from graphrag_tasks.llm.budget import Cost
from graphrag_tasks.llm.journal import ANSWERS, PARTS, StoreJournal
from graphrag_tasks.llm.parts import Parts
from graphrag_tasks.llm.records import SURE, Attempt, Lines, Record
from graphrag_tasks.storage.files import Files
from tests.llm.endpoint import scripted
from tests.llm.test_client import requests, settings, spent


def test_runs_of_a_month_share_a_cap(tmp_path: Path) -> None:
    asked = requests(30)
    with scripted() as endpoint:
        first = Client(settings(endpoint), str(tmp_path), "monday")
        first.ask(asked[:10])
        cap = float(first.spent.usd or 0) * 3
        budget = {"usd": 5, "month_usd": cap}
        second = Client(settings(endpoint, budget=budget, concurrency=1), str(tmp_path), "tuesday")
        with pytest.raises(BudgetError, match=r"a month.*month_usd"):
            second.ask(asked * 9 + requests(90))
        assert 10 < endpoint.requests < 90
    assert spent(tmp_path) <= Decimal(str(cap))


def test_an_earlier_month_does_not_count(tmp_path: Path) -> None:
    parts = Parts(Files(str(tmp_path)) / ANSWERS / PARTS)
    for month in (10, 11):
        lines = Lines()
        attempt = Attempt(f"run {month}", "extract", "m", None, SURE, "answered", month, 0, "0.5")
        lines.count(Record(f"{month:064x}", attempt), 1)
        parts.write(lines, [f"log {month}"], time=f"2026-{month}-03T000000.000000")
    journal = StoreJournal(str(tmp_path))
    november = datetime(2026, 11, 1, tzinfo=UTC)
    assert journal.spent(None) == Cost(Decimal("1.0"), 21)
    assert journal.spent(None, november) == Cost(Decimal("0.5"), 11)
    assert journal.spent("run 10", november).tokens == 0
    assert journal.spent(None, november + timedelta(days=30)).tokens == 0
