"""What worker processes log, and the progress bar that it must not cut through."""

import io
import logging
import multiprocessing
import sys
from typing import Any

import pytest

from graphrag_tasks.core.visible import log_to, log_visibly, logs_from


def test_what_a_worker_logs_is_logged_by_its_parent_where_a_progress_bar_sees_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    log_visibly()
    bar = io.StringIO()
    monkeypatch.setattr(sys, "stderr", bar)  # as rich does while it shows a bar
    queue = multiprocessing.get_context("spawn").Queue()
    with logs_from(queue):
        worker = multiprocessing.get_context("spawn").Process(target=logs_in_worker, args=(queue,))
        worker.start()
        worker.join(60)
    assert bar.getvalue().startswith("WARNING w: 1 file\nTraceback")
    assert bar.getvalue().endswith("ValueError: bad\n")


def logs_in_worker(queue: Any) -> None:
    log_to(queue, logging.WARNING)
    logging.getLogger("w").info("no more is said")
    try:
        raise ValueError("bad")
    except ValueError:
        logging.getLogger("w").warning("%d file", 1, exc_info=True)
