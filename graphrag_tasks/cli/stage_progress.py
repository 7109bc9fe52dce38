"""Progress of a run: bars in a terminal, elsewhere a line each half minute."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from graphrag_tasks.cli.output import ERRORS
from graphrag_tasks.core import progress

Show = Callable[[str, int, int], None]  # Takes a stage's name, the number of steps done, and their total.


@contextmanager
def stage_progress() -> Iterator[Show]:
    """Yield a function that shows a stage's progress on standard error."""
    with _bars() if ERRORS.is_terminal else _lines() as show:
        yield show


@contextmanager
def _bars() -> Iterator[Show]:
    stage_name = TextColumn("{task.description:>16}")
    columns = (stage_name, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=ERRORS, transient=True) as bars:
        bar = bars.add_task("starting", total=None)

        def show(stage: str, done: int, steps: int) -> None:
            bars.update(bar, description=stage, completed=done, total=steps)

        yield show


@contextmanager
def _lines() -> Iterator[Show]:
    began = time.monotonic()
    ended = threading.Event()
    at = ("starting", 0, 0)

    def show(stage: str, done: int, steps: int) -> None:
        nonlocal at
        at = stage, done, steps

    def tell() -> None:
        while not ended.wait(progress.INTERVAL_SECONDS):
            stage, done, steps = at
            reached = f"{stage} {done:,} / {steps:,}" if steps > 1 else stage
            so_far = timedelta(seconds=int(time.monotonic() - began))
            ERRORS.print(f"{reached}, {so_far} so far", highlight=False, soft_wrap=True)

    teller = threading.Thread(target=tell, name="progress", daemon=True)
    teller.start()
    try:
        yield show
    finally:
        ended.set()
        teller.join()
