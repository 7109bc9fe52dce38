"""Rate limit of an endpoint: requests are spread evenly, by requests and tokens per minute."""

from __future__ import annotations

import math
import random
import re
import time
from collections.abc import Callable, Mapping
from threading import Condition

_MINUTE = 60.0
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}

_FIRST_PACE = 2.0  # Most seconds between requests after the first refusal.

_FASTER, _SLOWLY, _LESS_SLOWLY, _CAREFUL = 0.7, 0.99, 0.93, 1.03
"""Factors of the seconds between requests: after `_IN_A_ROW` answers before a limit was measured; after
`_LATER_IN_A_ROW` afterwards; likewise once `_LONG` seconds passed without a refusal; and for the interval measured
between two refusals. Chosen by simulation, as are those below: tests/llm/test_pace.py."""

_IN_A_ROW, _LATER_IN_A_ROW, _LONG = 4, 20, 120.0
_SOON, _TAKEN_BACK = 50, 0.3
"""A true limit refuses none of this many requests at its measured pace. An endpoint that does refuses at random, as
under a shared quota: slowing down did not help, and the seconds are multiplied by the second number."""
_LIMITED_SHARE, _FADING = 0.2, 0.75
"""Refusals per answer above which a limit is exceeded after all, for instance a lowered limit; and the weight of
earlier counts at each refusal."""
_SLOWEST = 60.0  # Most seconds between requests, as limits are counted by the minute.
_JITTER = 0.1  # Random share of an interval, so that processes do not send at the same moment.
_FEW_LEFT = 0.25  # Share of a limit below which requests are sent only as fast as it refills.


class Limiter:
    """Lets requests through one by one.

    They are spread evenly: in any 60 seconds at most as many as allowed, and hardly fewer under load. The limit is
    configured, reported in the endpoint's headers, or learned from refusals: after a refusal all wait and are then sent
    one by one, slowly at first and faster with each answer until the next refusal. Where refusals are as frequent at a
    slower pace, they are not due to a limit, and the pace rises again.

    Args:
        requests: Most per minute; 0: no limit.
        tokens: Most per minute; 0: no limit.
        clock: Returns seconds.
        draw: Draws the jitter.
    """

    def __init__(
        self,
        requests: int = 0,
        tokens: int = 0,
        *,
        clock: Callable[[], float] = time.monotonic,
        draw: random.Random | None = None,
    ) -> None:
        # One less than allowed, as requests do not arrive as evenly as they leave.
        self._interval = _MINUTE / max(requests - 1, 0.5) if requests else 0.0
        self._per_token = _MINUTE / tokens if tokens else 0.0
        self._clock = clock
        self._changed = Condition()
        self._draw = draw or random.Random()  # noqa: S311 - spreads processes, no secret
        self._free_at = self._paused_until = float("-inf")
        self._pace = 0.0
        self._is_measured = False
        self._in_a_row = self._since_refusal = 0
        self._late_answers = self._late_refusals = 0.0
        self._refused_at = float("-inf")

    @property
    def wait(self) -> float:
        """Seconds until the next request may be sent; 0 or less where it may be sent now."""
        return max(self._free_at, self._paused_until) - self._clock()

    def take(self, tokens: int, most: float = math.inf) -> float:
        """Wait until a request of so many tokens may be sent; return the time."""
        with self._changed:
            until = self._clock() + most
            while (wait := self.wait) > 0:
                if self._clock() + wait > until:
                    raise TimeoutError
                self._changed.wait(wait)
            now = self._clock()
            pace = self._pace * (1 + _JITTER * (self._draw.random() - 0.5))
            self._free_at = now + max(self._interval, tokens * self._per_token, pace)
            return now

    def pause(self, seconds: float) -> None:
        """Stop all requests for some seconds."""
        with self._changed:
            self._paused_until = max(self._paused_until, self._clock() + seconds)

    def refused(self, left_at: float, wait: float) -> None:
        """Slow down after a refusal; `left_at` is when the request was sent, `wait` as told.

        Requests sent before an earlier refusal was known are ignored.
        """
        with self._changed:
            now = self._clock()
            self._paused_until = max(self._paused_until, now + wait)
            self._late_refusals += 1
            if left_at <= self._refused_at:
                return
            answers = self._since_refusal
            self._late_answers += answers
            is_limit = self._late_refusals > _LIMITED_SHARE * self._late_answers
            if not self._pace:
                self._pace = min(wait, _FIRST_PACE) or _FIRST_PACE
            elif self._is_measured and answers < _SOON and not is_limit:
                self._pace *= _TAKEN_BACK
            elif answers:
                # What was let through between two refusals is what was filled up meanwhile.
                measured = (now - self._refused_at) / answers
                self._pace, self._is_measured = min(measured * _CAREFUL, _SLOWEST), True
            else:
                self._pace, self._is_measured = min(self._pace * 2, _SLOWEST), False
            self._refused_at, self._in_a_row, self._since_refusal = now, 0, 0
            self._late_answers *= _FADING
            self._late_refusals *= _FADING

    def answered(self) -> None:
        """Note that a request was not refused."""
        with self._changed:
            self._since_refusal += 1
            self._in_a_row += 1
            is_sure = self._is_measured
            if self._in_a_row >= (_LATER_IN_A_ROW if is_sure else _IN_A_ROW):
                self._in_a_row = 0
                is_long = self._clock() - self._refused_at > _LONG
                self._pace *= (_SLOWLY if not is_long else _LESS_SLOWLY) if is_sure else _FASTER

    def told(self, headers: Mapping[str, str]) -> None:
        """Read the remaining limit from an endpoint's headers.

        Where little remains, requests are sent as it refills; where nothing remains, they wait.
        """
        for kind in ("requests", "tokens"):
            limit, left, reset = (headers.get(f"x-ratelimit-{name}-{kind}", "")
                                  for name in ("limit", "remaining", "reset"))  # fmt: skip
            seconds = seconds_of(reset)
            if left == "0":
                used = int(limit) if limit.isdecimal() and kind == "requests" else 1
                self.pause(seconds / max(used, 1))
            if kind == "requests" and limit.isdecimal() and left.isdecimal() and seconds:
                self._follow(int(limit), int(left), seconds)

    def _follow(self, limit: int, left: int, seconds: float) -> None:
        """Adopt the refill pace of a limit while little of it remains."""
        with self._changed:
            if limit and left < _FEW_LEFT * limit:
                self._pace = min(seconds / max(limit - left, 1), _SLOWEST)
                self._is_measured = True


def seconds_of(duration: str) -> float:
    """Return the seconds of a duration in endpoints' notation: `6m0s`, `250ms`."""
    return sum(float(number) * _UNITS[unit] for number, unit in _DURATION.findall(duration))
