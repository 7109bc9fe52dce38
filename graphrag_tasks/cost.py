"""What a piece of work costs: wall-clock seconds and peak resident memory."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_CLEAR_REFS = Path("/proc/self/clear_refs")
_STATUS = Path("/proc/self/status")
_RESET_PEAK = "5"


@dataclass
class Cost:
    """Filled when the measured block ends.

    Attributes:
        seconds: Wall-clock time.
        peak_memory_bytes: Highest resident memory of this process during the block; where the
            system cannot reset its high-water mark, that of the process's life so far.
    """

    seconds: float = 0.0
    peak_memory_bytes: int = 0


@contextmanager
def measured() -> Iterator[Cost]:
    """Measure the block; the cost is filled in when it ends, also by an error."""
    cost = Cost()
    _reset_peak()
    start = time.perf_counter()
    try:
        yield cost
    finally:
        cost.seconds = round(time.perf_counter() - start, 3)
        cost.peak_memory_bytes = _peak()


def _reset_peak() -> None:
    try:
        _CLEAR_REFS.write_text(_RESET_PEAK)
    except OSError:  # not Linux, or not allowed: the peak is then the process's own so far
        return


def _peak() -> int:
    try:
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
