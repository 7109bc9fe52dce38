"""What reading one document may take, as its reader sees it: seconds, and memory."""

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
    """Counts seconds, but not those that other work keeps a process from a processor (Linux).

    Of these, no more than `most_queued` are left out.
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
    """How long pages may be read and joined, and until when pages are added.

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
        """Seconds that are left."""
        return self.total - self.watch.seconds

    @property
    def is_late(self) -> bool:
        """Whether the time is over by more than it may be where it was measured in advance."""
        return self.left <= -_GRACE * self.total

    @property
    def is_full(self) -> bool:
        """Whether the process maps all that it may."""
        return mapped_bytes() > self.mapped


allowance: ContextVar[Allowance] = ContextVar("allowance")
"""That of the current document; where it is not set, nothing bounds it."""


def current_allowance() -> Allowance:
    """Return the allowance of the current document."""
    return allowance.get(Allowance())
