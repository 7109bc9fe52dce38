"""What a store keeps of requests: on the disk first, each once, through kills."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.errors import ArtifactError, ConfigError
from graphrag_tasks.llm import Client
from graphrag_tasks.llm.budget import Cost
from graphrag_tasks.llm.journal import Attempt, Journal, answers_file
from graphrag_tasks.llm.request import Answer, Failure, Kind, Usage

WORST = Attempt("", "run", "summarize", "m", None, "unsure", "", 10, 20, "0.5")
COST = replace(WORST, fate="sure", kind="answered", usd="0.1")


def key(number: int) -> str:
    return f"{number:064x}"


def answer(number: int) -> Answer:
    return Answer(key(number), f"said {number}", Usage(number, 2), "m")


def ask(journal: Journal, number: int) -> None:
    record = journal.sending(replace(WORST, key=key(number)))
    journal.sent(record, replace(COST, key=key(number)), answer(number))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "answers" / "answers.sqlite"


def test_what_was_kept_is_found_by_all(file: Path) -> None:
    journal = Journal(file)
    for number in range(20):
        ask(journal, number)
    refused = Failure(key(300), Kind.REFUSED, "no")
    journal.keep(refused)
    asked = [*map(key, range(30)), key(300)]
    for one in (journal, Journal(file)):
        assert one.known(asked) == {key(n): answer(n) for n in range(20)} | {key(300): refused}
        assert one.spent("run") == one.spent() == Cost(Decimal(2), 600)
        assert one.spent("another") == Cost(Decimal(0), 0)
        (sums,) = one.sums(["purpose", "document"])
        assert (sums["purpose"], sums["document"]) == ("summarize", "several")
        assert (sums["requests"], sums["answered"], sums["usd"]) == (20, 20, Decimal(2))


def test_a_killed_process_leaves_its_worst_case_and_its_answers(file: Path) -> None:
    script = f"""
import os, signal
from pathlib import Path
from tests.llm.test_journal import WORST, Journal, ask
journal = Journal(Path({str(file)!r}))
ask(journal, 1)
journal.sending(WORST)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", script], check=False)  # noqa: S603
    assert done.returncode == -signal.SIGKILL
    journal = Journal(file)
    assert journal.known([key(1)]) == {key(1): answer(1)}
    assert journal.spent("run").usd == Decimal("0.6")


def test_processes_that_begin_at_once_share_the_file(file: Path) -> None:
    script = f"""
import sys
from pathlib import Path
from tests.llm.test_journal import Journal, ask
input()
journal = Journal(Path({str(file)!r}))
for number in range(20):
    ask(journal, 100 * int(sys.argv[1]) + number)
"""
    started = [
        subprocess.Popen([sys.executable, "-c", script, number], stdin=subprocess.PIPE, text=True)  # noqa: S603
        for number in "01"
    ]
    for one in started:
        assert one.stdin
        one.stdin.write("\n")
        one.stdin.flush()
    for one in started:
        one.communicate(timeout=60)
        assert one.returncode == 0
    assert Journal(file).spent("run") == Cost(Decimal(4), 40 * 30)


def test_a_damaged_file_is_an_error_and_is_left_alone(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"no database at all, but some text" * 99)
    with pytest.raises(ArtifactError, match=r"answers\.sqlite.*Put back a copy"):
        Journal(file).known([key(1)])
    assert file.read_bytes().startswith(b"no database")


def test_a_store_in_object_storage_needs_a_file_for_answers(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"llm\.answers_file.*Name a file on a volume"):
        Client(LlmConfig(model="any"), "memory://bucket/store").identity()
    named = LlmConfig(answers_file=str(tmp_path / "x.sqlite"))
    assert answers_file(named, "memory://bucket/store") == tmp_path / "x.sqlite"
