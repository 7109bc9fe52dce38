"""The budget: a request's worst-case cost is reserved before it is sent.

Money and tokens spent and reserved never exceed the caps together. A request's cost is known with its answer; if its
result is unknown, the worst case counts. The ledger has the run's budget, and the cost record of each request.
"""

from __future__ import annotations

import math
import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from threading import Condition

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.errors import BudgetError
from graphrag_tasks.llm.endpoint import MOST_BYTES
from graphrag_tasks.llm.journal import SURE, UNSURE, Attempt, Journal, month_now
from graphrag_tasks.llm.request import NOTHING, Cost, Usage, count_tokens, most_tokens, price

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


_HINT = "Answers so far are kept. Raise llm.budget.{} and run again, or ask less"


MONTH = "month_usd"  # The setting of the monthly cap for all runs.


class Budget:
    """Caps that all threads share.

    Args:
        usd: Most money; None: no cap.
        tokens: Most tokens; 0: no cap.
        spent: What the run spent before.
        of: The parent budget: each reservation counts there, too.
        setting: The setting of `usd`, within `llm.budget`.
    """

    def __init__(
        self,
        usd: Decimal | None = None,
        tokens: int = 0,
        spent: Cost = NOTHING,
        of: Budget | None = None,
        setting: str = "usd",
    ) -> None:
        self._usd, self._tokens, self._of, self._setting = usd, tokens, of, setting
        self._spent, self._aside = spent, NOTHING
        self._changed = Condition()

    @property
    def is_capped(self) -> bool:
        """Whether this budget or its parent has a cap."""
        of_whole = self._of is not None and self._of.is_capped
        return self._usd is not None or self._tokens > 0 or of_whole

    @property
    def spent(self) -> Cost:
        """What was spent so far, without reservations."""
        return self._spent

    def has_room(self, worst: Cost) -> bool:
        """Return whether the worst case of a request can be reserved immediately."""
        if self._of is not None and not self._of.has_room(worst):
            return False
        with self._changed:
            return self._passed_by(self._spent + self._aside + worst) is None

    def reserve(self, worst: Cost) -> None:
        """Reserve the worst case of a request; wait where others may turn out cheaper."""
        with self._changed:
            while passed := self._passed_by(self._spent + self._aside + worst):
                if self._aside == NOTHING:
                    name, cap = passed
                    what = f"the next request could pass the cap of {cap}"
                    raise BudgetError(what, "llm", _HINT.format(name))
                self._changed.wait()
            self._aside += worst
        if self._of is not None:
            try:
                self._of.reserve(worst)
            except BudgetError:
                self._settle(worst, NOTHING)
                raise

    def settle(self, worst: Cost, cost: Cost) -> None:
        """Replace a reserved worst case by the request's actual cost."""
        self._settle(worst, cost)
        if self._of is not None:
            self._of.settle(worst, cost)

    def _settle(self, worst: Cost, cost: Cost) -> None:
        with self._changed:
            usd = (self._aside.usd or Decimal(0)) - (worst.usd or Decimal(0))
            self._aside = Cost(usd, self._aside.tokens - worst.tokens)
            self._spent += cost
            self._changed.notify_all()

    def _passed_by(self, total: Cost) -> tuple[str, str] | None:
        if self._usd is not None and (total.usd or 0) > self._usd:
            month = " a month" if self._setting == MONTH else ""
            return self._setting, f"{self._usd:f} USD{month}"
        if self._tokens and total.tokens > self._tokens:
            return "tokens", f"{self._tokens:,} tokens"
        return None


BATCH_PRICE = Decimal("0.5")
"""Price in a batch, as a share of the price: OpenAI's, which others that have batches took over."""


@dataclass(frozen=True)
class Billed:
    """A request's cost data; `budget` is its question's own budget, if any."""

    key: str
    purpose: str
    model: str
    document_id: str | None
    prompt: tuple[str, ...]
    max_output: int
    budget: Budget | None = None

    @cached_property
    def tokens(self) -> int:
        """Approximate number of prompt tokens."""
        return sum(map(count_tokens, self.prompt))

    @property
    def most(self) -> Usage:
        """The most tokens that the request can use."""
        return Usage(most_tokens(*self.prompt), self.max_output)


def believed(usage: Usage | None, most: Usage, text: str) -> Usage | None:
    """Return the reported usage, or None where the answer cannot have so few tokens."""
    if usage is None:
        return None
    counts = (usage.prompt_tokens, most.prompt_tokens), (usage.completion_tokens, len(text))
    return usage if all((told + 1) * MOST_BYTES > size for told, size in counts) else None


class Ledger:
    """Prices and records the requests of a run.

    Args:
        config: Settings of the model.
        journal: Stores the record.
        run: Name of the run.
    """

    def __init__(self, config: LlmConfig, journal: Journal, run: str) -> None:
        self._config, self._journal, self.run = config, journal, run

    @cached_property
    def budget(self) -> Budget:
        """The run's remaining budget, within the month's."""
        return self._read()

    def _read(self) -> Budget:
        caps, month = self._config.budget, None
        if caps.month_usd:
            spent = self._journal.spent(month=month_now())
            month = Budget(Decimal(str(caps.month_usd)), 0, spent, setting=MONTH)
        usd = Decimal(str(caps.usd)) if caps.usd else None
        return Budget(usd, caps.tokens, self._journal.spent(self.run), month)

    def check(self) -> None:
        """Check that the recorded spending, including other processes', is within the caps.

        The request itself is recorded before, at its worst case; an interrupted one stays recorded.
        """
        if self.budget.is_capped:
            self._read().reserve(NOTHING)

    def read_again(self) -> None:
        """Forget the cached spending; it is read again when needed."""
        self.__dict__.pop("budget", None)

    def cost(self, model: str, usage: Usage, *, in_batch: bool = False) -> Cost:
        """Return the cost of tokens."""
        usd = price(self._config, model, usage)
        if usd is not None and in_batch:
            usd *= BATCH_PRICE
        return Cost(usd, usage.total)

    def attempt(
        self, billed: Billed, usage: Usage | None = None, *, fate: str = UNSURE, kind: str = "", in_batch: bool = False
    ) -> Attempt:
        """Return the record of a request; without `usage`, of its worst case."""
        usage = usage or billed.most
        usd = self.cost(billed.model, usage, in_batch=in_batch).usd
        return Attempt(
            key=billed.key, run=self.run, purpose=billed.purpose, model=billed.model,
            document_id=billed.document_id, fate=fate, kind=kind,
            prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens,
            usd=None if usd is None else f"{usd:f}",
        )  # fmt: skip

    def refused(self, billed: Billed) -> Attempt:
        """Return the record of a refused request, which is not billed."""
        return self.attempt(billed, Usage(), fate=SURE, kind="refused")
