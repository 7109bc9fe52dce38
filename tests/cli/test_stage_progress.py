"""What a run shows of itself where no terminal is."""

import re
import time

import pytest

from graphrag_tasks.cli.output import stage_progress
from graphrag_tasks.core import progress


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


def test_without_a_terminal_a_line_is_said_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "INTERVAL_SECONDS", 0.01)
    said: list[str] = []
    until = time.monotonic() + 60
    with stage_progress() as show:
        show("extract", 3, 10)
        while not said and time.monotonic() < until:
            said = lines(capsys)
            time.sleep(0.01)
    assert re.fullmatch(r"extract 3 / 10, 0:\d\d:\d\d so far", said[0])
