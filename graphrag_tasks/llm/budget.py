"""The budget: a request's worst-case cost is reserved before it is sent.

Money and tokens spent and reserved never exceed the caps together. A request's cost is known with its answer; if its
result is unknown, the worst case counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from threading import Condition

from graphrag_tasks.core.errors import BudgetError

_HINT = "Answers so far are kept. Raise llm.budget.{} and run again, or ask less"


@dataclass(frozen=True)
class Cost:
    """Money and tokens; `usd` is None where the price is unknown."""

    usd: Decimal | None
    tokens: int

    def __add__(self, other: Cost) -> Cost:
        """Sum up; money that is not known is left out of the sum."""
        known = [cost.usd for cost in (self, other) if cost.usd is not None]
        return Cost(sum(known, Decimal(0)) if known else None, self.tokens + other.tokens)


MONTH = "month_usd"  # The setting of the monthly cap for all runs.

NOTHING = Cost(Decimal(0), 0)


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
