"""What a piece of work costs: wall-clock seconds and peak resident memory."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_SELF = Path("/proc/self")
_RESET_PEAK = "5"
_PEAK = "VmHWM:"


@dataclass
class Cost:
    """Filled when the measured block ends.

    Attributes:
        seconds: Wall-clock time.
        peak_memory_bytes: Highest resident memory of this process during the block, and of the
            worker processes it has then (their peaks need not have come together, so the sum is
            an upper bound). Where the system cannot reset its high-water mark, that of the
            process's life so far.
    """

    seconds: float = 0.0
    peak_memory_bytes: int = 0


@contextmanager
def measured() -> Iterator[Cost]:
    """Measure the block; the cost is filled in when it ends, also by an error."""
    cost = Cost()
    for process in _family():
        with suppress(OSError):  # not Linux, or not allowed: the peak is then that of its life
            (process / "clear_refs").write_text(_RESET_PEAK)
    start = time.perf_counter()
    try:
        yield cost
    finally:
        cost.seconds = round(time.perf_counter() - start, 3)
        cost.peak_memory_bytes = sum(map(_peak, _family())) or _life_peak()


def _family() -> list[Path]:
    """Return the `/proc` folders of this process and its children; none where there is no /proc."""
    if not _SELF.exists():
        return []
    children: list[str] = []
    for task in (_SELF / "task").iterdir():
        with suppress(OSError):  # the thread has just ended, or the kernel keeps no such list
            children += (task / "children").read_text().split()
    return [_SELF, *(Path("/proc") / child for child in children)]


def _peak(process: Path) -> int:
    """Return the high-water mark in bytes; 0 for a process that has just ended."""
    with suppress(OSError):
        for line in (process / "status").read_text().splitlines():
            if line.startswith(_PEAK):
                return int(line.split()[1]) * 1024
    return 0


def _life_peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
