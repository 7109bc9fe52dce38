"""Costs are measured for a block, and not for what went before it."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from graphrag_tasks.cost import measured


def resets_high_water_mark() -> bool:
    """Return whether this kernel does what `clear_refs` asks; some accept it and do nothing."""
    status, clear_refs = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not status.exists():
        return False

    def mark() -> int:
        return int(status.read_text().partition("VmHWM:")[2].split()[0])

    np.ones(60_000_000, np.uint8)
    before = mark()
    try:
        clear_refs.write_text("5")
    except OSError:
        return False
    return mark() < before


@pytest.mark.skipif(
    not resets_high_water_mark(), reason="this system cannot reset a high-water mark"
)
def test_a_block_has_its_own_peak() -> None:
    with measured() as large:
        np.ones(60_000_000, np.uint8)
    with measured() as small:
        pass
    assert large.seconds > small.seconds >= 0
    assert large.peak_memory_bytes - small.peak_memory_bytes > 40_000_000


def test_costs_are_known_also_after_an_error() -> None:
    with pytest.raises(ValueError, match="inside"), measured() as cost:
        raise ValueError("inside")
    assert cost.peak_memory_bytes > 0


@pytest.mark.skipif(sys.platform != "linux", reason="children are found through /proc")
def test_a_worker_process_counts() -> None:
    hungry = "import sys; data = bytearray(80_000_000); print('ready', flush=True); input()"
    with measured() as cost:
        worker = subprocess.Popen(  # noqa: S603
            [sys.executable, "-c", hungry], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert worker.stdout is not None
        worker.stdout.readline()
    worker.communicate(b"\n")
    with measured() as alone:
        pass
    assert cost.peak_memory_bytes - alone.peak_memory_bytes > 60_000_000
