"""Memory that was freed goes back to the system."""

import ctypes
import subprocess
import sys

import pytest

SCRIPT = """
import numpy as np
from graphrag_tasks.core.memory import release
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
