"""What a store keeps of requests: on the disk first, each once, through kills."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from graphrag_tasks.core.errors import ArtifactError, ConfigError, TransientError
from graphrag_tasks.llm import journal as journals
from graphrag_tasks.llm.answers import Answer, Failure, Kind, Usage
from graphrag_tasks.llm.budget import Cost
from graphrag_tasks.llm.journal import StoreJournal
from graphrag_tasks.llm.log import Log
from graphrag_tasks.llm.records import Attempt, Lines, Record
from graphrag_tasks.storage.files import Files

WORST = Attempt("run", "summarize", "m", None, "unsure", "", 10, 20, "0.5")
COST = replace(WORST, fate="sure", kind="answered", usd="0.1")


def key(number: int) -> str:
    """Return a key; an even number's and the next one's begin alike, as hashes hardly do."""
    return f"{number // 2:016x}{number:048x}"


def answer(number: int) -> Answer:
    return Answer(key(number), f"said {number}", Usage(number, 2), "m")


def ask(journal: StoreJournal, number: int) -> None:
    record = journal.sending(key(number), WORST)
    journal.keep(answer(number))
    journal.sent(record, COST)


def parts(store: Path) -> list[Path]:
    return sorted((store / "answers" / "parts").glob("*.parquet"))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a part of every ten answers."""
    monkeypatch.setattr(journals, "IN_A_PART", 10)


@pytest.fixture
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A store where nothing is appended; temporary files are below the test's folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    yield f"memory://{tmp_path.name}"
    Files(f"memory://{tmp_path.name}").delete()


def lose_machine(tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "temporary")
    (tmp_path / "temporary").mkdir()


def test_what_was_kept_is_found_in_the_log_and_in_parts(tmp_path: Path, small: None) -> None:
    journal = StoreJournal(str(tmp_path))
    for number in range(205):
        ask(journal, number)
    journal.give_up(Failure(key(300), Kind.REFUSED, "no"))
    assert 20 <= len(parts(tmp_path)) <= 26
    expected = {key(number): answer(number) for number in range(205)}
    asked = [*map(key, range(220)), key(300)]
    for one in (journal, StoreJournal(str(tmp_path))):
        assert one.known(asked) == {**expected, key(300): Failure(key(300), Kind.REFUSED, "no")}
        assert one.spent("run") == Cost(Decimal("20.5"), 205 * 30)
        assert one.spent("another") == Cost(Decimal(0), 0)
        counts: Counter[Attempt] = Counter()
        for attempt, count in one.attempts():
            counts[attempt] += count
        assert +counts == {COST: 205}
        assert one.usages("run", [key(7), key(203), key(999)]) == {
            key(7): Usage(10, 20), key(203): Usage(10, 20)
        }  # fmt: skip


def test_an_attempt_that_ends_in_a_later_part_counts_once(tmp_path: Path, small: None) -> None:
    journal = StoreJournal(str(tmp_path))
    record = journal.sending(key(1), WORST)
    for number in range(10, 20):
        ask(journal, number)
    assert StoreJournal(str(tmp_path)).spent("run").usd == Decimal("1.5")
    journal.sent(record, COST)
    assert journal.spent("run") == StoreJournal(str(tmp_path)).spent("run")
    assert journal.spent("run").usd == Decimal("1.1")


def test_an_answer_that_came_after_a_failure_counts(tmp_path: Path, small: None) -> None:
    journal = StoreJournal(str(tmp_path))
    journal.give_up(Failure(key(1), Kind.REFUSED, "no"))
    for number in range(10, 21):
        journal.keep(answer(number))
    journal.keep(answer(1))
    for number in range(21, 32):
        journal.keep(answer(number))
    assert len(parts(tmp_path)) == 2
    assert journal.known([key(1)]) == {key(1): answer(1)}


@pytest.mark.parametrize("where", ["local", "away"])
def test_a_kill_between_a_part_and_its_log_counts_nothing_twice(
    tmp_path: Path, away: str, small: None, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = away if where == "away" else str(tmp_path)

    def killed(_: Log) -> None:
        raise KeyboardInterrupt

    journal, asked = StoreJournal(store), 0
    ask(journal, asked)
    with monkeypatch.context() as patched:
        patched.setattr(Log, "empty", killed)
        with pytest.raises(KeyboardInterrupt):
            for asked in range(1, 99):
                ask(journal, asked)
    del journal
    spent = Decimal("0.1") * asked
    for _ in range(2):
        journal = StoreJournal(store)
        assert journal.spent("run").usd in (spent, spent + Decimal("0.5"))  # before it left, or so
        assert set(journal.known([*map(key, range(99))])) == {*map(key, range(asked))}
    ask(journal, asked)
    spent = journal.spent("run").usd  # type: ignore[assignment]
    assert StoreJournal(store).spent("run").usd == spent


def test_two_that_write_at_once_see_each_other(tmp_path: Path, small: None) -> None:
    one, other = StoreJournal(str(tmp_path)), StoreJournal(str(tmp_path))
    for number in range(25):
        ask(one if number % 2 else other, number)
        asked = [*map(key, range(number + 1))]
        assert len(one.known(asked)) == len(other.known(asked)) == number + 1
    assert one.spent("run") == other.spent("run") == Cost(Decimal("2.5"), 25 * 30)
    names = [one.name for one in (tmp_path / "answers" / "log").iterdir()]
    assert sorted(names) == ["0.jsonl", "1.jsonl"]
    del one
    ask(StoreJournal(str(tmp_path)), 30)
    names = [one.name for one in (tmp_path / "answers" / "log").iterdir()]
    assert sorted(names) == ["0.jsonl", "1.jsonl"]  # the log that was left is taken


def test_what_a_kill_left_of_a_line_is_cut_off(tmp_path: Path) -> None:
    ask(StoreJournal(str(tmp_path)), 1)
    file = tmp_path / "answers" / "log" / "0.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole + b'{"answer": {"ke' + b"x" * 10_000)
    assert StoreJournal(str(tmp_path)).spent("run").usd == Decimal("0.1")
    ask(StoreJournal(str(tmp_path)), 2)
    assert file.read_bytes().startswith(whole)
    assert b"xxx" not in file.read_bytes()
    file.write_bytes(b'{"lo')
    ask(StoreJournal(str(tmp_path)), 3)
    assert StoreJournal(str(tmp_path)).spent("run").usd == Decimal("0.1")


def test_a_line_that_the_disk_has_no_room_for_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = StoreJournal(str(tmp_path))
    ask(journal, 1)
    write = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda file, data: write(file, data[:3]))
        with pytest.raises(TransientError, match="no room"):
            journal.keep(answer(2))
    ask(journal, 3)
    assert set(StoreJournal(str(tmp_path)).known([*map(key, range(9))])) == {key(1), key(3)}


def test_threads_that_wait_together_wait_for_one_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Log(tmp_path, lambda _: False)
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    positions = [log.append({"batch": str(number), "sent": []}) for number in range(3)]
    for position in reversed(positions):
        log.wait(position)
    assert len(synced) == 1

    def fail(_: int) -> None:
        raise OSError(errno.EIO, "the disk is gone")

    monkeypatch.setattr(os, "fsync", fail)
    position = log.append({"batch": "4", "sent": []})
    with pytest.raises(TransientError):
        log.wait(position)


@pytest.mark.parametrize("data", [b"", b"PAR1 and no more", b"x" * 999])
def test_a_part_that_cannot_be_read_is_an_error(tmp_path: Path, small: None, data: bytes) -> None:
    journal = StoreJournal(str(tmp_path))
    for number in range(10):
        ask(journal, number)
    (part,) = parts(tmp_path)
    part.write_bytes(data)
    with pytest.raises(ArtifactError, match=r"\.parquet: is no part of answers.*Delete it"):
        StoreJournal(str(tmp_path)).known([key(1)])
    with pytest.raises(ArtifactError, match="is no part of answers"):
        StoreJournal(str(tmp_path)).spent("run")


def test_the_costs_of_a_batch_count_once(tmp_path: Path) -> None:
    records = [Record(key(number), COST) for number in range(3)]
    for _ in range(2):
        StoreJournal(str(tmp_path)).settle("batch", records)
    assert StoreJournal(str(tmp_path)).spent("run").usd == Decimal("0.3")


def test_in_s3_a_part_is_written_before_answers_are_given_out(tmp_path: Path, away: str) -> None:
    journal = StoreJournal(away)
    for number in range(100):
        ask(journal, number)
    journal.flush()
    lose_machine(tmp_path)
    other = StoreJournal(away)
    assert other.known([*map(key, range(100))]) == {key(one): answer(one) for one in range(100)}
    assert other.spent("run") == Cost(Decimal(10), 3000)
    assert Files(f"{away}/answers/aside").names() == []


def test_in_s3_a_kill_loses_no_answer_where_the_machine_stays(tmp_path: Path, away: str) -> None:
    journal = StoreJournal(away)
    for number in range(5):
        ask(journal, number)
    journal.sending(key(9), WORST)
    del journal
    again = StoreJournal(away)
    assert len(again.known([*map(key, range(9))])) == 5
    assert again.spent("run").usd == Decimal("1.0")


@pytest.mark.parametrize("asked", [1, 50, 700])
def test_in_s3_what_a_lost_machine_had_under_way_counts_in_full(
    tmp_path: Path, away: str, asked: int
) -> None:
    journal = StoreJournal(away)
    for number in range(asked):
        ask(journal, number)
    journal.sending(key(asked), WORST)
    real = COST.cost.usd * asked + WORST.cost.usd  # type: ignore[operator]
    lose_machine(tmp_path)
    spent = StoreJournal(away).spent("run").usd
    assert spent is not None
    assert real <= spent <= real + 8 * Decimal("0.5") + real / 8
    written = Files(f"{away}/answers/parts").names()
    assert len(written) < 10 + asked / 8


def test_in_s3_an_answer_waits_a_minute_at_most(
    tmp_path: Path, away: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "_LONGEST", -1.0)
    journal = StoreJournal(away)
    journal.keep(answer(1))
    lose_machine(tmp_path)
    assert StoreJournal(away).known([key(1)])


def test_a_folder_for_logs_that_another_user_made_is_refused(tmp_path: Path, away: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    folder = tmp_path / "temporary" / f"graphrag-tasks-{os.getuid()}"
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match=r"belongs to another user.*TMPDIR"):
        StoreJournal(away).known([key(1)])


def test_lines_sum_up_in_any_order() -> None:
    record = Record(key(1), WORST)
    lines = Lines()
    lines.count(record, -1)
    assert lines.spent == {"run": Cost(Decimal("-0.5"), -30)}
    lines.count(record, 1)
    assert not lines.attempts
    assert lines.spent == {"run": Cost(Decimal(0), 0)}
