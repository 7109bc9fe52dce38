"""Which answers are removed, and that nothing else is."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from graphrag_tasks.llm.answers import Failure, Kind
from graphrag_tasks.llm.budget import Cost
from graphrag_tasks.llm.journal import StoreJournal
from graphrag_tasks.llm.parts import Parts, heads_of, time_text
from graphrag_tasks.llm.records import Lines, Record
from graphrag_tasks.llm.removal import remove_answers
from graphrag_tasks.operations.retention import collect_garbage
from graphrag_tasks.snapshots.store import Store
from graphrag_tasks.storage.files import Files
from tests.llm.test_journal import COST, WORST, answer, key, parts
from tests.snapshots.makers import published

NOW = datetime(2026, 11, 20, tzinfo=UTC)
NOBODY = np.empty(0, np.uint64)


def part(store: Path, days_ago: int, numbers: range) -> None:
    """Write a part as if it had been written some days ago."""
    lines = Lines()
    for number in numbers:
        lines.keep(answer(number))
        lines.count(Record(key(number), COST), 1)
    time = time_text(NOW - timedelta(days=days_ago))
    Parts(Files(store / "answers" / "parts")).write(lines, [f"log{days_ago}"], time=time)


def known(store: Path) -> set[str]:
    return set(StoreJournal(str(store)).known([*map(key, range(2000))]))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Three parts of two months, of ten answers each, that cost .1 each."""
    for number, days in enumerate((100, 99, 10)):
        part(tmp_path, days, range(number * 100, number * 100 + 10))
    return tmp_path


def test_old_answers_go_but_for_those_used_and_what_they_cost_stays(store: Path) -> None:
    before, used = NOW - timedelta(days=90), heads_of([key(3), key(104)])
    assert remove_answers(str(store), used, before, dry_run=True) == 16
    assert len(known(store)) == 30
    assert remove_answers(str(store), used, before) == 16
    stay = (2, 3, 104, 105)  # with each its neighbour, whose key begins alike
    assert known(store) == {*map(key, stay), *map(key, range(200, 210))}
    assert StoreJournal(str(store)).spent("run") == Cost(Decimal(3), 900)
    assert len(parts(store)) == 2
    assert remove_answers(str(store), used, before) == 0


@pytest.mark.parametrize("step", range(4))
def test_a_kill_while_parts_are_joined_counts_nothing_twice(
    store: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    steps, delete = iter(range(99)), Files.delete

    def dying(folder: Files, name: str = "") -> None:
        if next(steps) == step:
            raise KeyboardInterrupt
        delete(folder, name)

    with monkeypatch.context() as patched:
        patched.setattr(Files, "delete", dying)
        try:
            remove_answers(str(store), NOBODY, NOW - timedelta(days=90))
        except KeyboardInterrupt:
            assert step < 2
    assert StoreJournal(str(store)).spent("run") == Cost(Decimal(3), 900)
    assert remove_answers(str(store), NOBODY, NOW - timedelta(days=90)) == 0
    assert known(store) == {*map(key, range(200, 210))}
    assert len(parts(store)) == 2


def test_one_that_asks_meanwhile_finds_what_was_joined(store: Path) -> None:
    journal = StoreJournal(str(store))
    asked = [*map(key, range(2000))]
    assert len(journal.known(asked)) == 30
    assert remove_answers(str(store), NOBODY, NOW - timedelta(days=999)) == 0
    assert len(parts(store)) == 2  # the two of a month are one
    assert len(journal.known(asked)) == 30


def test_what_is_used_is_kept_anew(tmp_path: Path) -> None:
    old = datetime.now(UTC) - timedelta(days=60)
    lines = Lines()
    lines.keep(answer(1))
    lines.keep(Failure(key(2), Kind.REFUSED, "no"))
    lines.keep(answer(3))
    Parts(Files(tmp_path / "answers" / "parts")).write(lines, ["old"], time=time_text(old))
    for renew in (False, True):
        StoreJournal(str(tmp_path), keep_days=90).known([key(1), key(2)], renew=renew)
        remove_answers(str(tmp_path), NOBODY, datetime.now(UTC) - timedelta(days=61))
    assert known(tmp_path) == {*map(key, (1, 2, 3))}
    remove_answers(str(tmp_path), NOBODY, datetime.now(UTC) - timedelta(days=59))
    assert known(tmp_path) == {*map(key, (1, 2))}
    assert len(StoreJournal(str(tmp_path), keep_days=200).known([key(1)], renew=True)) == 1


def test_an_attempt_of_two_parts_is_one_when_they_are_joined(tmp_path: Path) -> None:
    folder, began, ended = Parts(Files(tmp_path / "answers" / "parts")), Lines(), Lines()
    began.count(Record(key(1), WORST), 1)
    ended.count(Record(key(1), WORST), -1)
    ended.count(Record(key(1), COST), 1)
    for lines, log in ((began, "a"), (ended, "b")):
        folder.write(lines, [log], time=time_text(NOW))
    remove_answers(str(tmp_path), NOBODY, NOW)
    assert len(parts(tmp_path)) == 1
    assert list(StoreJournal(str(tmp_path)).attempts()) == [(COST, 1)]


def test_a_collection_keeps_what_kept_snapshots_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Store(str(tmp_path))
    published(made, "first", now=NOW - timedelta(days=1))
    rows = pa.table({"request_key": [key(number) for number in range(100, 110)]})
    monkeypatch.setattr(type(made.folder), "read_table", lambda *_: rows)
    for number, days in enumerate((100, 99, 10)):
        part(tmp_path, days, range(number * 100, number * 100 + 10))
    given = {"keep": 5, "staging_age": timedelta(days=7), "now": NOW}
    assert collect_garbage(made, **given).answers == 0  # type: ignore[arg-type]
    found = collect_garbage(made, answer_age=timedelta(days=90), **given)  # type: ignore[arg-type]
    assert found.answers == 10
    assert known(tmp_path) == {*map(key, range(100, 110)), *map(key, range(200, 210))}


def test_a_collection_counts_the_age_from_the_oldest_kept_snapshot(tmp_path: Path) -> None:
    made = Store(str(tmp_path))
    published(made, "first", now=NOW - timedelta(days=50))
    part(tmp_path, 100, range(10))
    part(tmp_path, 150, range(100, 110))
    found = collect_garbage(
        made, keep=5, staging_age=timedelta(days=7), answer_age=timedelta(days=90), now=NOW
    )
    assert found.answers == 10
    assert known(tmp_path) == {*map(key, range(10))}


def test_where_the_answers_of_a_snapshot_cannot_be_read_none_is_removed(tmp_path: Path) -> None:
    made = Store(str(tmp_path))
    published(made, "first", now=NOW)
    part(tmp_path, 100, range(10))
    (file,) = Path(tmp_path, "snapshots").glob("*/answers.*")
    file.write_bytes(b"")
    found = collect_garbage(
        made, keep=5, staging_age=timedelta(days=7), answer_age=timedelta(days=90), now=NOW
    )
    assert found.answers == 0
    assert len(known(tmp_path)) == 10
