"""The ledger: a run's budget, and the cost record of each request."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.llm import tokens
from graphrag_tasks.llm.answers import Usage
from graphrag_tasks.llm.budget import MONTH, NOTHING, Budget, Cost
from graphrag_tasks.llm.journal import SURE, UNSURE, Attempt, Journal, month_now
from graphrag_tasks.llm.prices import price

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


MOST_BYTES = 40  # Most bytes per token, on average of a text: some four times those of models' vocabularies.


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
