"""What holds for all test processes and for those that they start."""

import os

import pytest
from xdist.scheduler import LoadFileScheduling

# Several processes share the cores: threads of one that wait for one another take all of them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

TOGETHER = ("tests/dags/", "tests/e2e/")
"""Folders whose files share a process that is slow to start: Airflow, the server of warm runs."""


class Scheduling(LoadFileScheduling):
    """Gives a worker a file of tests at a time, or a folder whose files go together."""

    def _split_scope(self, nodeid: str) -> str:
        folders = (folder for folder in TOGETHER if nodeid.startswith(folder))
        return next(folders, super()._split_scope(nodeid))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what goes together: begun last, one worker would still be at it alone."""
    items.sort(key=lambda item: not item.nodeid.startswith(TOGETHER))


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduling:
    return Scheduling(config, log)
