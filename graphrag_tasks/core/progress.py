"""The progress, cost and memory of long work."""

from __future__ import annotations

import ctypes
import logging
import mmap
import os
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag_tasks.core.errors import ConfigError

if TYPE_CHECKING:
    from numpy.typing import NDArray


INTERVAL_SECONDS = 30.0  # Least time between log lines; shorter work logs nothing.

_MINUTE, _HOUR = 60, 3600


class Progress:
    """Logs how much is done, how fast, and the estimated remaining time.

    Args:
        log: Logger of the working module.
        work: Name of the work, at the start of log lines.
        total: Number of items.
        unit: Name of the items, in the plural.
        clock: A monotonic clock in seconds.
    """

    def __init__(
        self, log: logging.Logger, work: str, total: int, unit: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._log, self._work, self._total, self._unit = log, work, total, unit
        self._clock = clock
        self._began = self._told = clock()

    def reach(self, done: int) -> None:
        """Log that `done` items are done, if the last line is long enough ago and some are left."""
        now = self._clock()
        if not 0 < done < self._total or now - self._told < INTERVAL_SECONDS:
            return
        self._told = now
        a_second = done / max(now - self._began, 1e-9)
        self._log.info(
            "%s: %s / %s %s, %s a second, about %s left",
            self._work, f"{done:,}", f"{self._total:,}", self._unit, _rate(a_second),
            _duration((self._total - done) / a_second),
        )  # fmt: skip


def _rate(a_second: float) -> str:
    return f"{a_second:,.0f}" if a_second >= 10 else f"{a_second:.2g}"


def _duration(seconds: float) -> str:
    if seconds < 2 * _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < 2 * _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    return f"{seconds / _HOUR:.1f} h"


# Measure the cost of work: wall-clock and CPU seconds, and peak memory.

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
    used = {process: cpu_seconds(process) for process in family()}
    for process in used:
        with suppress(OSError):  # not Linux, or not allowed: the peak is then that of its life
            (process / "clear_refs").write_text("5")  # resets the peak
    start = time.perf_counter()
    try:
        yield cost
    finally:
        cost.seconds = round(time.perf_counter() - start, 3)
        spent = (cpu_seconds(process) - used.get(process, 0.0) for process in family())
        cost.cpu_seconds = round(sum(spent), 2)
        life_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        cost.peak_memory_bytes = sum(map(peak, family())) or life_peak


def family() -> list[Path]:
    """Return the `/proc` folders of this process and its children; empty without /proc."""
    if not _SELF.exists():
        return []
    children: list[str] = []
    for task in (_SELF / "task").iterdir():
        with suppress(OSError):  # the thread has just ended, or the kernel keeps no such list
            children += (task / "children").read_text().split()
    return [_SELF, *(Path("/proc") / child for child in children)]


def cpu_seconds(process: Path) -> float:
    """Return user and system time; 0 for an ended process."""
    with suppress(OSError):
        fields = (process / "stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def peak(process: Path) -> int:
    """Return the high-water mark in bytes; 0 for an ended process."""
    with suppress(OSError):
        for line in (process / "status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


# Memory of a process: mapped address space, reading of mapped files, returning freed memory.

INDEX_BYTES, SEARCH_BYTES = 4_500_000_000, 3_000_000_000
"""Address space that a run and a search need: with less, libraries abort the process.

Measured on the example corpus by `ulimit -v`: a run ended by a signal with 4.0 GB and not with 4.5,
a search with 2.5 GB and not with 3.0.
"""


def require_address_space(needed: int, what: str) -> None:
    """Check that this process's address space limit suffices."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if resource.RLIM_INFINITY != limit < needed:
        raise ConfigError(
            f"the process may map {limit / 1e9:.1f} GB, and {what} needs {needed / 1e9:.1f} GB",
            "memory",
            "Raise the limit of address space (ulimit -v, LimitAS of systemd)",
        )


def release() -> None:
    """Return freed memory to the system (glibc only); takes some milliseconds.

    Freed arrays leave holes in the heap that are returned only on request: 45 MB after 24 shards of 250 KB.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def mapped_bytes(process: int | str = "self") -> int:
    """Return the address space of a process, by id; 0 if unknown."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[0])
    except (OSError, IndexError):
        return 0
    return pages * resource.getpagesize()


def read_at_random(values: NDArray[Any]) -> None:
    """Tell the system that few rows of a mapped array are read, far apart.

    It reads 128 kB around each page otherwise, and with arrays larger than the memory that pushes out what is needed
    again.
    """
    if hasattr(mmap, "MADV_RANDOM"):
        start = values.ctypes.data // mmap.PAGESIZE * mmap.PAGESIZE
        length = values.ctypes.data + values.nbytes - start
        advise = ctypes.CDLL(None).madvise  # it is advice: where it fails, nothing is lost
        advise(ctypes.c_void_p(start), ctypes.c_size_t(length), mmap.MADV_RANDOM)
