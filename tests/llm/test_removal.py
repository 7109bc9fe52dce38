"""Which answers are removed, and that nothing else is."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.llm.budget import Cost
from graphrag_tasks.operations.retention import collect_garbage
from graphrag_tasks.storage.snapshots.store import Store
from tests.llm.test_client import journal_of
from tests.llm.test_journal import ask, key
from tests.storage.snapshots.makers import published

NOW = datetime(2026, 11, 20, tzinfo=UTC)
DAYS = timedelta(days=1)


def kept(store: Path, kept_at: datetime, numbers: range) -> None:
    """Keep answers as if that had been at another time."""
    journal = journal_of(store)
    for number in numbers:
        ask(journal, number)
    journal.close()
    with closing(sqlite3.connect(store / "answers" / "answers.sqlite")) as connection, connection:
        connection.executemany(
            "UPDATE answers SET kept_at = ? WHERE key = ?", [(kept_at.timestamp(), key(number)) for number in numbers]
        )


def known(store: Path) -> set[str]:
    return set(journal_of(store).known([*map(key, range(300))]))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Ten answers each of 100, 99 and 10 days ago, that cost .1 each."""
    for number, days in enumerate((100, 99, 10)):
        kept(tmp_path, NOW - days * DAYS, range(number * 100, number * 100 + 10))
    return tmp_path


def test_old_answers_go_but_for_those_used_and_what_they_cost_stays(store: Path) -> None:
    before, used = NOW - 90 * DAYS, [key(3), key(104)]
    assert journal_of(store).remove(before, used, dry_run=True) == 18
    assert len(known(store)) == 30
    assert journal_of(store).remove(before, used) == 18
    assert known(store) == {*used, *map(key, range(200, 210))}
    assert journal_of(store).spent("run") == Cost(Decimal(3), 900)
    assert journal_of(store).remove(before, used) == 0


def collected(store: Store) -> int:
    return collect_garbage(store, keep=5, staging_age=7 * DAYS, llm=LlmConfig(), now=NOW).answers


def test_a_collection_keeps_what_kept_snapshots_use(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Store(str(store))
    published(made, "first", now=NOW - DAYS)
    rows = pa.table({"request_key": [key(number) for number in range(100, 110)]})
    monkeypatch.setattr(type(made.folder), "read_table", lambda *_: rows)
    assert collected(made) == 10
    assert known(store) == {*map(key, range(100, 110)), *map(key, range(200, 210))}


def test_where_the_answers_of_a_snapshot_cannot_be_read_none_is_removed(store: Path) -> None:
    made = Store(str(store))
    published(made, "first", now=NOW)
    (file,) = Path(store, "snapshots").glob("*/answers.*")
    file.write_bytes(b"")
    assert collected(made) == 0
    assert len(known(store)) == 30
