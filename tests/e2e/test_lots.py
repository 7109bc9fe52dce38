"""What the log of a task says that does several shards, one after the other."""

import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from graphrag_tasks.core.config import Config
from graphrag_tasks.pipeline import Run


def test_the_log_of_parse_names_what_failed(
    configure: Callable[..., Config], corpus: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (corpus / "nul.txt").write_bytes(b"\x00")
    (corpus / "broken.docx").write_text("x")
    (corpus / "other.zip").write_text("x")
    run, _ = Run.start(configure(plan={"shard_bytes": 1}))
    assert len(run.shards) == 6

    def told() -> list[str]:
        found = [one for one in caplog.records if one.levelno >= logging.WARNING]
        caplog.clear()
        return [one.getMessage() for one in found]

    receipts = run.process_lot("parse", run.shards)
    assert [one.stage for one in receipts] == ["parse"] * 6
    broken, nul = told()
    assert broken.startswith("failed (broken): corpus/broken.docx: not a valid docx file: ")
    assert nul == ("failed (broken): corpus/nul.txt: the file is not text: it holds NUL bytes. Save it as UTF-8")
    run.process_lot("chunk", run.shards)
    assert told() == []
    run.process_lot("parse", run.shards)  # after a kill: nothing is parsed again
    assert told() == [broken, nul]
    monkeypatch.setattr("graphrag_tasks.core.left_out.MOST_LINES", 1)
    run.process_lot("parse", run.shards)
    assert told()[1].startswith("1 more failed. ")


def test_the_log_says_how_far_a_lot_is(
    configure: Callable[..., Config], progress_told: Callable[[], list[str]]
) -> None:
    run, _ = Run.start(configure(plan={"shard_bytes": 1}))
    run.process_lot("parse", run.shards)
    assert progress_told() == ["parse: 1 / 3 documents", "parse: 2 / 3 documents"]
