"""Long work says how far it is, and no more often than somebody reads."""

import logging
from collections.abc import Callable

import pytest

from graphrag_tasks.core.progress import Progress

log = logging.getLogger(__name__)


class Clock:
    """A clock that the test turns."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Callable[[list[tuple[float, int]], int], list[str]]:
    """Return what is logged when so many are done at these seconds."""

    def run(steps: list[tuple[float, int]], total: int) -> list[str]:
        clock = Clock()
        progress = Progress(log, "parse", total, "documents", clock=clock)
        with caplog.at_level(logging.INFO):
            for seconds, done in steps:
                clock.now = 1000 + seconds
                progress.reach(done)
        return caplog.messages

    return run


def test_a_line_says_how_much_how_fast_and_how_long(lines: Callable[..., list[str]]) -> None:
    assert lines([(40, 80), (100, 2500)], 10_000) == [
        "parse: 80 / 10,000 documents, 2 a second, about 83 min left",
        "parse: 2,500 / 10,000 documents, 25 a second, about 5 min left",
    ]


@pytest.mark.parametrize(
    "steps", [[(29.9, 5), (29.99, 10)], [(500, 10)], [(500, 0)]], ids=["short", "done", "not begun"]
)
def test_short_work_and_what_is_done_say_nothing(
    lines: Callable[..., list[str]], steps: list[tuple[float, int]]
) -> None:
    assert lines(steps, 10) == []
