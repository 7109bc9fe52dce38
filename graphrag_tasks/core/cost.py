"""Measure the cost of work: wall-clock and CPU seconds, and peak memory."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_SELF = Path("/proc/self")


@dataclass
class Cost:
    """Filled when the measured block ends.

    Attributes:
        seconds: Wall-clock time.
        cpu_seconds: CPU time of all threads of this process and of its current worker processes; 0 without /proc.
        peak_memory_bytes: Highest resident memory of this process during the block, plus that of each current worker
            process: an upper bound. If the high-water mark cannot be reset, it is the highest since the process began.
    """

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory_bytes: int = 0


@contextmanager
def measured() -> Iterator[Cost]:
    """Measure the block; the cost is filled in when it ends, even with an error."""
    cost = Cost()
    used = {process: _cpu_seconds(process) for process in _family()}
    for process in used:
        with suppress(OSError):  # not Linux, or not allowed: the peak is then that of its life
            (process / "clear_refs").write_text("5")  # resets the peak
    start = time.perf_counter()
    try:
        yield cost
    finally:
        cost.seconds = round(time.perf_counter() - start, 3)
        spent = (_cpu_seconds(process) - used.get(process, 0.0) for process in _family())
        cost.cpu_seconds = round(sum(spent), 2)
        life_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        cost.peak_memory_bytes = sum(map(_peak, _family())) or life_peak


@dataclass(frozen=True)
class ProcessUse:
    """CPU time of a process's threads, and its highest resident memory (0 after it ended)."""

    cpu_seconds: float
    peak_memory_bytes: int


def child_processes() -> list[ProcessUse]:
    """Return the use of each current worker process; none without /proc."""
    return [ProcessUse(_cpu_seconds(child), _peak(child)) for child in _family()[1:]]


def _family() -> list[Path]:
    """Return the `/proc` folders of this process and its children; empty without /proc."""
    if not _SELF.exists():
        return []
    children: list[str] = []
    for task in (_SELF / "task").iterdir():
        with suppress(OSError):  # the thread has just ended, or the kernel keeps no such list
            children += (task / "children").read_text().split()
    return [_SELF, *(Path("/proc") / child for child in children)]


def _cpu_seconds(process: Path) -> float:
    """Return user and system time; 0 for an ended process."""
    with suppress(OSError):
        fields = (process / "stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _peak(process: Path) -> int:
    """Return the high-water mark in bytes; 0 for an ended process."""
    with suppress(OSError):
        for line in (process / "status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0
