"""One run at a time on a store."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from graphrag_tasks.core.errors import TransientError
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.locks import sole_run

HOLDER = """
import sys, time
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.locks import sole_run
with sole_run(Folder(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def holder(tmp_path: Path) -> subprocess.Popen[str]:
    """Another process, which holds the store."""
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stdout.readline() == "held\n"
    return process


def test_a_second_process_is_refused_and_told_by_whom(holder: subprocess.Popen[str], tmp_path: Path) -> None:
    with pytest.raises(TransientError, match=rf"process {holder.pid} on .*--wait"), sole_run(Folder(tmp_path)):
        pass
    holder.communicate("\n")
    with sole_run(Folder(tmp_path)):
        pass


def test_a_process_that_is_killed_leaves_no_lock(holder: subprocess.Popen[str], tmp_path: Path) -> None:
    holder.kill()
    holder.communicate()
    with sole_run(Folder(tmp_path)):
        pass


def test_one_can_wait(holder: subprocess.Popen[str], tmp_path: Path) -> None:
    entered = threading.Event()

    def wait() -> None:
        with sole_run(Folder(tmp_path), wait=True):
            entered.set()

    thread = threading.Thread(target=wait)
    thread.start()
    assert not entered.wait(0.3)
    holder.communicate("\n")
    thread.join(30)
    assert entered.is_set()
