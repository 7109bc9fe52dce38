"""The budget: a request's worst-case cost is reserved before it is sent.

Money and tokens spent and reserved never exceed the caps together. A request's cost is known with its answer; if its
result is unknown, the worst case counts. The ledger has the run's budget, and the cost record of each request.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from threading import Condition

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.errors import BudgetError
from graphrag_tasks.llm import tokens
from graphrag_tasks.llm.answers import NOTHING, Cost, Usage
from graphrag_tasks.llm.endpoint import MOST_BYTES
from graphrag_tasks.llm.journal import SURE, UNSURE, Attempt, Journal, month_now
from graphrag_tasks.llm.tokens import price

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
        return sum(map(tokens.count, self.prompt))

    @property
    def most(self) -> Usage:
        """The most tokens that the request can use."""
        return Usage(tokens.most(*self.prompt), self.max_output)


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
