"""Limits on reading one document: seconds and memory."""

from __future__ import annotations

import math
import time
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from graphrag_tasks.core.memory import mapped_bytes

_GRACE = 0.125  # share of all its time by which a document may be late
MAX_QUEUED = 4.0  # of a document's seconds that waiting for a processor may add


class Watch:
    """A stopwatch that leaves out time spent waiting for a processor (Linux).

    At most `most_queued` seconds of waiting are left out.
    """

    def __init__(self, most_queued: float = math.inf, process: int | str = "self") -> None:
        self._most_queued = most_queued
        self._process = process
        self._began, self._queued = time.monotonic(), self._queued_seconds()

    @property
    def seconds(self) -> float:
        """Seconds since the watch was made."""
        queued = min(self._queued_seconds() - self._queued, self._most_queued)
        return time.monotonic() - self._began - queued

    def _queued_seconds(self) -> float:
        try:
            return int(Path(f"/proc/{self._process}/schedstat").read_text().split()[1]) / 1e9
        except (OSError, IndexError):
            return 0.0


@dataclass(frozen=True)
class Allowance:
    """Limits on reading and joining the pages of one document.

    Attributes:
        total: Seconds.
        mapped: Bytes that the process may map with another page; joining them needs more.
        watch: Counts the seconds since the document was begun.
    """

    total: float = math.inf
    mapped: float = math.inf
    watch: Watch = field(default_factory=Watch)

    @property
    def left(self) -> float:
        """Seconds left."""
        return self.total - self.watch.seconds

    @property
    def is_late(self) -> bool:
        """Whether the time limit is exceeded by more than the tolerance."""
        return self.left <= -_GRACE * self.total

    @property
    def is_full(self) -> bool:
        """Whether the process has mapped all the memory that it may."""
        return mapped_bytes() > self.mapped


allowance: ContextVar[Allowance] = ContextVar("allowance")
"""The current document's allowance; if unset, nothing is limited."""


def current_allowance() -> Allowance:
    """Return the allowance of the current document."""
    return allowance.get(Allowance())
