"""Asks a model, as often as it takes and not once more.

What holds, each by a test:
  * An answer is kept before its money is counted, and counted before it is used.
  * What was spent and what is set aside are never more than the budget.
  * An attempt whose fate is unknown counts in full.
  * Nothing is kept that is not valid, was refused, or is not complete.
  * Neither the order nor the number of threads changes a result.
"""

from __future__ import annotations

import heapq
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from decimal import Decimal
from itertools import islice
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.errors import BudgetError, ConfigError
from graphrag_tasks.core.progress import Progress
from graphrag_tasks.llm.abilities import Abilities
from graphrag_tasks.llm.answers import Answer, Failure, Kind
from graphrag_tasks.llm.batch import Batches
from graphrag_tasks.llm.budget import Budget, Cost
from graphrag_tasks.llm.forecast import Forecast, Rates, forecast
from graphrag_tasks.llm.journal import Journal, answers_file
from graphrag_tasks.llm.ledger import BATCH_PRICE
from graphrag_tasks.llm.prices import check_price
from graphrag_tasks.llm.request import Identity, Request
from graphrag_tasks.llm.sender import Sender

log = logging.getLogger(__name__)

_AT_ONCE = 2000
"""Requests whose texts a forecast holds in memory together: some 10 MB."""
_SAMPLE = 1000
"""Requests that rates are learned from: the error of a mean of so many is some 2 %."""


class Client:
    """Asks the model of the settings, for one run on a store.

    Args:
        config: Settings of the model.
        store: Where answers are kept, folder or URI; None: in memory, the last thousand.
        run: Name of the run: its budget counts what it spent before a kill.

    Raises:
        ConfigError: The store is in object storage, and `llm.answers_file` names no file.
    """

    def __init__(self, config: LlmConfig, store: str | None = None, run: str = "") -> None:
        self._config, self._store, self._run = config, store, run
        file = answers_file(config, store) if store else None
        self._sender = Sender(config, Journal(file, config.keep_days), run)
        self._lock = Lock()

    def at(self, base_url: str) -> Client:
        """Return a client of another address; empty: this one."""
        if not base_url:
            return self
        config = self._config.model_copy(update={"base_url": base_url})
        return Client(config, self._store, self._run)

    @property
    def concurrency(self) -> int:
        """How many requests leave side by side."""
        return self._config.concurrency

    def identity(self, purpose: str = "", model: str = "") -> Identity:
        """Return who is asked for a purpose, or which model: what decides answers, too.

        Raises:
            ConfigError: No model is named.
        """
        return self._sender.identity(purpose, model)

    def abilities(self, purpose: str) -> Abilities:
        """Return how the endpoint is asked for a purpose, as far as it is known."""
        return self._sender.abilities(self.identity(purpose).model)

    @property
    def config(self) -> LlmConfig:
        """The settings of the model."""
        return self._config

    @property
    def spent(self) -> Cost:
        """What the run spent so far."""
        return self._sender.ledger.budget.spent

    def ask(
        self, requests: Sequence[Request], *, until_spent: bool = False
    ) -> list[Answer | Failure]:
        """Return an answer, or why there is none, for each request in order.

        Answers that are known are not asked for again, nor is a request that stands here twice, nor
        one that got no valid answer before, unless `llm.retry_failed` is set.
        With `until_spent`, those that come when a cap is reached are failures in place of an error.

        Raises:
            EndpointError: The endpoint cannot be asked.
            BudgetError: The next request could pass a cap.
            PriceError: A cap in money is set, and the price of the model is not known.
            TransientError: A request failed as often as it may, or the storage refuses an answer.
            ArtifactError: A kept answer cannot be read.
        """
        keys = list(map(self._sender.key, requests))
        by_key = dict(zip(keys, requests, strict=True))
        results = self._sender.known(by_key, renew=True)
        missing = [(key, request) for key, request in by_key.items() if key not in results]
        log.info("%d requests, %d known", len(by_key), len(results))
        if missing:
            for model in sorted({self.identity(request.purpose).model for _, request in missing}):
                check_price(self._config, model)
            with self.connected():
                results |= self._asked_by_threads(missing, until_spent)
        return [results[key] for key in keys]

    def part_of_budget(self, usd: float | None) -> Budget:
        """Return a budget within the run's, for one question; None: the run's cap alone."""
        return Budget(None if usd is None else Decimal(str(usd)), of=self._sender.ledger.budget)

    def ask_one(
        self,
        request: Request,
        budget: Budget | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> Answer | Failure:
        """Return the answer to one request, or why there is none; several threads may ask.

        A person waits for it: where the endpoint is busy or away for longer than
        `llm.answers.wait_seconds`, it fails.

        Args:
            request: What is asked.
            budget: By `part_of_budget`; what is spent stands there afterwards.
            tell: Is called with each piece of the answer as it comes, or with a known answer. Where
                an attempt breaks off after a piece, the next one tells nothing.

        Raises:
            BudgetError: It could pass a cap. Otherwise as `ask` does.
        """
        key = self._sender.key(request)
        if known := self._sender.known([key]).get(key):
            if tell and isinstance(known, Answer):
                tell(known.text)
            return known
        check_price(self._config, self.identity(request.purpose).model)
        with self.connected():
            return self._sender.ask(request, budget, tell, self._config.answers.wait_seconds)

    def batch(
        self, purpose: str, requests: Callable[[], Iterable[Request]], form: type[BaseModel]
    ) -> int:
        """Have batches answer requests of one purpose; return how many are under way.

        Answers that are there are kept, so that `ask` finds them. Nothing waits here: call again
        until nothing is under way, then `ask` for what has no answer.

        Args:
            purpose: Of the requests.
            requests: Returns what is asked; called when nothing is under way, once or twice.
            form: Of the answers.

        Raises:
            ConfigError: There is no store to keep batches in. Otherwise as `ask` does.
        """
        model = self.identity(purpose).model
        if not self._store:
            raise ConfigError("batches need a store", "llm.batch", 'Set llm.batch = "off"')
        with self.connected():
            batches = Batches(self._sender, model)
            batches.take(form)
            if not batches.under_way and self._sender.abilities(model).batches:
                check_price(self._config, model)
                batches.submit(requests)
            return batches.under_way

    def known(self, requests: Iterable[Request]) -> list[tuple[Request, Answer | Failure | None]]:
        """Return requests, each once, with what came of them before; nothing is sent."""
        by_key = {self._sender.key(request): request for request in requests}
        known = self._sender.known(by_key)
        return [(one, known.get(key)) for key, one in by_key.items()]

    def rates(self, requests: Iterable[Request]) -> Rates:
        """Return what follows from requests, learned from some of those that were asked.

        All attempts of this run count, also those that brought no valid answer. A sample of
        requests is drawn by their keys, so that it is the same in any order.
        """
        asked: dict[str, tuple[Request, Answer | Failure]] = {}
        for some in _groups(requests):
            keys = {self._sender.key(request): request for request in some}
            asked |= {
                key: (keys[key], answer) for key, answer in self._sender.journal.known(keys).items()
            }
            asked = {key: asked[key] for key in heapq.nsmallest(_SAMPLE, asked)}
        used = self._sender.journal.usages(self._run, asked)
        found = []
        for key, (request, result) in asked.items():
            usage = used.get(key)
            if usage is None and isinstance(result, Answer):
                usage = result.usage
            if usage:
                found.append((request, usage))
        unsure = self._sender.journal.unsure(self._run, used)
        return Rates.learned(found, unsure, len(used))

    def forecast(
        self,
        requests: Callable[[], Iterable[Request]],
        rates: Rates | None = None,
        *,
        batched: bool | None = None,
    ) -> Forecast:
        """Return what it takes to answer requests of one purpose; nothing is sent.

        Without `rates`, those are learned from the answers that there are. Whether the requests are
        enough to be `batched` is decided by their number, unless it is told.

        Args:
            requests: Returns what is asked, once more at each call: not all are held in memory.
            rates: What follows from a prompt.
            batched: Whether they are asked in batches.
        """
        rates = rates or self.rates(requests())
        total, model = Forecast(), ""
        for some in _groups(requests()):
            found = self.known(some)
            waiting = [request for request, known in found if known is None]
            model = self.identity(waiting[0].purpose).model if waiting else model
            known = len(found) - len(waiting)
            total += forecast(waiting, known, self._config, model, rates, Decimal(1))
        if batched is None:
            batched = total.requests >= self._config.batch_from
        if self._config.batch == "off" or not self._sender.abilities(model).batches:
            batched = False
        return total.at(BATCH_PRICE) if batched else total

    def connected(self) -> AbstractContextManager[None]:
        """Hold connections for a block; they are closed when the last such block ends.

        Raises:
            EndpointError: There is no key for OpenAI itself.
            ArtifactError: What was spent before cannot be read.
        """
        return self._sender.connected()

    def embed(self, texts: Sequence[str], model: str, dimensions: int = 0) -> NDArray[np.float32]:
        """Return the vectors of texts, sent in one request; shape (texts, dimension).

        They are not kept here: a snapshot keeps them. To be called within `connected`; raises as
        `ask` does.
        """
        check_price(self._config, model)
        return self._sender.embed(texts, model, dimensions)

    def _asked_by_threads(
        self, missing: Sequence[tuple[str, Request]], until_spent: bool
    ) -> dict[str, Answer | Failure]:
        """Return results by key; the first error stops all after what is under way."""
        waiting = iter(missing)
        results: dict[str, Answer | Failure] = {}
        errors: list[BaseException] = []
        spent: list[str] = []
        progress = Progress(log, "language model", len(missing), "requests")

        def work() -> None:
            while not self._sender.stopped.is_set():
                with self._lock:
                    item = next(waiting, None)
                if item is None:
                    return
                key, request = item
                try:
                    if spent:
                        results[key] = Failure(key, Kind.OVER_BUDGET, spent[0])
                    else:
                        results[key] = self._sender.ask(request)
                except BudgetError as error:
                    if until_spent:
                        spent.append(str(error))
                        results[key] = Failure(key, Kind.OVER_BUDGET, spent[0])
                    else:
                        errors.append(error)
                        self._sender.stopped.set()
                except BaseException as error:  # noqa: BLE001 - raised below
                    errors.append(error)
                    self._sender.stopped.set()
                with self._lock:
                    progress.reach(len(results))

        threads = min(self._config.concurrency, len(missing))
        try:
            with ThreadPoolExecutor(threads, thread_name_prefix="llm") as pool:
                try:
                    wait([pool.submit(work) for _ in range(threads)])
                finally:  # also where a user interrupts
                    self._sender.stopped.set()
        finally:
            self._sender.stopped.clear()
        if errors:
            raise errors[0]  # the others may be of requests that this one stopped
        return results


def _groups(requests: Iterable[Request]) -> Iterator[list[Request]]:
    """Yield requests, as many as may be in memory at a time."""
    waiting = iter(requests)
    while some := list(islice(waiting, _AT_ONCE)):
        yield some
