"""Costs are measured for a block, and not for what went before it."""

import mmap
import subprocess
import sys

import pytest

from graphrag_tasks.core.cost import measured


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can reset the high-water mark")
def test_a_block_has_its_own_peak() -> None:
    with measured() as large, mmap.mmap(-1, 60_000_000) as pages:
        pages[::4096] = b"x" * len(range(0, 60_000_000, 4096))  # malloc may hand out old pages
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


@pytest.mark.skipif(sys.platform != "linux", reason="children are found through /proc")
def test_cpu_seconds_are_of_the_block_and_of_its_workers() -> None:
    busy = "import time; end = time.process_time() + 0.3\nwhile time.process_time() < end: pass"
    with measured() as cost:
        worker = subprocess.Popen(  # noqa: S603
            [sys.executable, "-c", f"{busy}\nprint('done', flush=True); input()"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert worker.stdout is not None
        worker.stdout.readline()
    worker.communicate(b"\n")
    with measured() as idle:
        pass
    assert 0.28 <= cost.cpu_seconds < 5  # /proc counts in ticks of .01 s, two of them cut
    assert idle.cpu_seconds < 0.2
