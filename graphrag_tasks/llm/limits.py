"""How fast an endpoint is asked: evenly, by requests and tokens a minute, for all threads."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from threading import Condition

_MINUTE = 60.0
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


class Limiter:
    """Lets requests through one by one.

    They are spread over the minute: in any 60 seconds there are at most as many as are allowed, and
    hardly fewer where there is work enough.

    Args:
        requests: Most a minute; 0: no limit.
        tokens: Most a minute; 0: no limit.
        clock: Returns seconds.
    """

    def __init__(
        self, requests: int = 0, tokens: int = 0, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        # One less than allowed, as requests do not arrive as evenly as they leave.
        self._interval = _MINUTE / max(requests - 1, 0.5) if requests else 0.0
        self._per_token = _MINUTE / tokens if tokens else 0.0
        self._clock = clock
        self._changed = Condition()
        self._free_at = self._paused_until = float("-inf")

    def take(self, tokens: int) -> None:
        """Wait until a request of so many tokens may leave."""
        with self._changed:
            while (wait := max(self._free_at, self._paused_until) - self._clock()) > 0:
                self._changed.wait(wait)
            spacing = max(self._interval, tokens * self._per_token)
            self._free_at = self._clock() + spacing

    def pause(self, seconds: float) -> None:
        """Let no request of any thread through for some seconds."""
        with self._changed:
            self._paused_until = max(self._paused_until, self._clock() + seconds)

    def told(self, headers: Mapping[str, str]) -> None:
        """Read what an endpoint says is left: where it is nothing, wait until it is more."""
        for kind in ("requests", "tokens"):
            if headers.get(f"x-ratelimit-remaining-{kind}") == "0":
                self.pause(_seconds(headers.get(f"x-ratelimit-reset-{kind}", "")))


def _seconds(duration: str) -> float:
    """Return the seconds of a duration as endpoints write it: `6m0s`, `250ms`."""
    return sum(float(number) * _UNITS[unit] for number, unit in _DURATION.findall(duration))
