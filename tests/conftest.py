"""What holds for all test processes and for those that they start."""

import logging
import os
import re
import resource
import shutil
import tempfile
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadFileScheduling

from graphrag_tasks.core import progress
from graphrag_tasks.storage.files import CACHE_VARIABLE

# Several processes share the cores: threads of one that wait for one another take all of them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Few examples each time, many in slow runs: --hypothesis-profile=many
settings.register_profile("few", max_examples=20, deadline=None)
settings.register_profile("many", max_examples=200, deadline=None)
settings.load_profile("few")

ProgressTold = Callable[[], list[str]]

TOGETHER = ("tests/dags/", "tests/e2e/")
"""Folders whose files share a process that is slow to start: Airflow, the server of warm runs."""


class Scheduling(LoadFileScheduling):
    """Gives a worker a file of tests at a time, or a folder whose files go together."""

    def _split_scope(self, nodeid: str) -> str:
        folders = (folder for folder in TOGETHER if nodeid.startswith(folder))
        return next(folders, super()._split_scope(nodeid))


def pytest_configure(config: pytest.Config) -> None:
    """Give all processes of the run a cache of their own, whatever the user's holds."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        os.environ[CACHE_VARIABLE] = tempfile.mkdtemp(prefix="graphrag-cache-")
        config.add_cleanup(lambda: shutil.rmtree(os.environ[CACHE_VARIABLE]))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what goes together: begun last, one worker would still be at it alone."""
    items.sort(key=lambda item: not item.nodeid.startswith(TOGETHER))


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduling:
    return Scheduling(config, log)


_of_workers: list[float] = []


def _cpu_seconds(*whose: int) -> float:
    used = [resource.getrusage(one) for one in whose]
    return sum(one.ru_utime + one.ru_stime for one in used)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the main process what a worker and the processes that it started took."""
    told = getattr(session.config, "workeroutput", None)
    if told is not None:
        told["cpu_seconds"] = _cpu_seconds(resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def pytest_testnodedown(node: Any) -> None:
    _of_workers.append(getattr(node, "workeroutput", {}).get("cpu_seconds", 0.0))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what all tests took of the processor, whatever else ran beside them."""
    whose = [resource.RUSAGE_SELF, *([] if _of_workers else [resource.RUSAGE_CHILDREN])]
    total = sum(_of_workers) + _cpu_seconds(*whose)
    terminalreporter.write_line(f"{total:.0f} CPU-seconds")


@pytest.fixture
def progress_told(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> ProgressTold:
    """Have each step of long work tell its progress at once; return what was told of how many."""
    monkeypatch.setattr(progress, "INTERVAL_SECONDS", 0)
    caplog.set_level(logging.INFO, "graphrag_tasks")
    line = re.compile(r"[a-z ]+: [\d,]+ / [\d,]+ [a-z]+(?=, .* a second, about .* left)")
    return lambda: [found[0] for one in caplog.messages if (found := line.match(one))]
