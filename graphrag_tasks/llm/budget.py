"""What may be spent: the worst case of a request is set aside before it leaves.

Money and tokens that were spent and those set aside are never more than the caps together. What a
request cost is known when its answer is there; of one whose fate is unknown the worst case counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from threading import Condition

from graphrag_tasks.core.errors import BudgetError

_HINT = "Answers so far are kept. Raise llm.budget.{} and run again, or ask less"


@dataclass(frozen=True)
class Cost:
    """Money and tokens; `usd` is None where the price is not known."""

    usd: Decimal | None
    tokens: int

    def __add__(self, other: Cost) -> Cost:
        """Sum up; money that is not known is left out of the sum."""
        known = [cost.usd for cost in (self, other) if cost.usd is not None]
        return Cost(sum(known, Decimal(0)) if known else None, self.tokens + other.tokens)


MONTH = "month_usd"
"""The setting of what all runs of a month may spend."""

NOTHING = Cost(Decimal(0), 0)


class Budget:
    """Caps that all threads share.

    Args:
        usd: Most money; None: no cap.
        tokens: Most tokens; 0: no cap.
        spent: What the run spent before.
        of: The budget that this one is a part of: what is set aside here is set aside there, too.
        setting: What sets `usd`, within `llm.budget`.
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
        """Whether there is a cap, of its own or of what it is a part of."""
        of_whole = self._of is not None and self._of.is_capped
        return self._usd is not None or self._tokens > 0 or of_whole

    @property
    def spent(self) -> Cost:
        """What was spent so far, without what is set aside."""
        return self._spent

    def has_room(self, worst: Cost) -> bool:
        """Return whether the worst case of a request can be set aside at once."""
        if self._of is not None and not self._of.has_room(worst):
            return False
        with self._changed:
            return self._passed_by(self._spent + self._aside + worst) is None

    def reserve(self, worst: Cost) -> None:
        """Set the worst case of a request aside; wait where others may turn out cheaper.

        Raises:
            BudgetError: It would pass a cap.
        """
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
        """Count what a request cost in place of its worst case."""
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
