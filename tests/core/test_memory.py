"""Memory that was freed goes back to the system, and too little of it is told at once."""

import ctypes
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.retrieval import open_index

SCRIPT = """
import numpy as np
from graphrag_tasks.core.progress import release
from pathlib import Path

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

size = 100_000  # below the size that has pages of its own
arrays = [np.ones(size, np.uint8) for _ in range(1000)]
kept = arrays[::10]
del arrays
before = resident()
release()
print(before - resident())
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="not glibc")
def test_what_lies_between_things_that_stay_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, check=True)  # noqa: S603
    assert int(done.stdout) > 50_000_000


def test_a_limit_of_memory_that_ends_a_run_or_a_search_is_told_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (2_400_000_000, resource.RLIM_INFINITY))
    config = Config(store=str(tmp_path), sources=[str(tmp_path)])
    for begin in (lambda: run_index(config), lambda: open_index(tmp_path)):
        with pytest.raises(ConfigError, match=r"may map 2.4 GB, and a (run|search) needs"):
            begin()
    assert not list(tmp_path.iterdir())


def test_the_command_says_so_in_place_of_a_fault() -> None:
    command = f"ulimit -v 3000000; exec {sys.executable} -m graphrag_tasks index examples/corpus"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 1 and "may map 3.1 GB" in " ".join(done.stderr.split())
