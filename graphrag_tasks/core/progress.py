"""Log the progress of long work; results do not depend on it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

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
