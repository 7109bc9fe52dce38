"""Asks a model, as often as needed and not once more.

Invariants, each with a test:
  * An answer is stored before its cost is counted, and counted before it is used.
  * Spent and reserved cost never exceed the budget.
  * An attempt with an unknown result counts in full.
  * Invalid, refused or incomplete answers are not stored.
  * Neither the order nor the number of threads changes a result.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
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
from graphrag_tasks.llm.batch import BATCH_FROM, Batches
from graphrag_tasks.llm.budget import BATCH_PRICE, Budget
from graphrag_tasks.llm.journal import Journal, answers_file
from graphrag_tasks.llm.request import (
    Answer,
    Cost,
    Failure,
    Forecast,
    Identity,
    Kind,
    Request,
    check_price,
    expected,
    price,
)
from graphrag_tasks.llm.sender import Sender

log = logging.getLogger(__name__)

_AT_ONCE = 2000  # Requests whose texts a forecast holds in memory at once: some 10 MB.
PATIENCE = 60.0  # Seconds that a question waits for a busy or failing endpoint.


class Client:
    """Asks the configured model, for one run on a store.

    Nothing is opened before it is used, as runs without a model make a client, too.

    Args:
        config: Settings of the model.
        store: Folder or URI in which answers are stored; None: in memory, the last thousand.
        run: Name of the run: its budget includes what it spent before an interruption.
        patience: Seconds that `ask_one` waits for a busy or failing endpoint.
    """

    def __init__(self, config: LlmConfig, store: str | None = None, run: str = "", patience: float = PATIENCE) -> None:
        self._config, self._store, self._run, self._patience = config, store, run, patience
        self._made: Sender | None = None
        self._lock, self._making = Lock(), Lock()

    @property
    def _sender(self) -> Sender:
        """What sends requests and keeps answers."""
        with self._making:
            if self._made is None:
                file = answers_file(self._config, self._store) if self._store else None
                journal = Journal(file)
                self._made = Sender(self._config, journal, self._run)
            return self._made

    def at(self, base_url: str) -> Client:
        """Return a client for another address; empty: this client."""
        if not base_url:
            return self
        config = self._config.model_copy(update={"base_url": base_url})
        return Client(config, self._store, self._run)

    @property
    def concurrency(self) -> int:
        """Number of concurrent requests."""
        return self._config.concurrency

    def identity(self, purpose: str = "", model: str = "") -> Identity:
        """Return provider, model and parameters for a purpose or a model; answers depend on them.

        Raises:
            ConfigError: No model is named.
        """
        return self._sender.identity(purpose, model)

    @property
    def config(self) -> LlmConfig:
        """The settings of the model."""
        return self._config

    @property
    def spent(self) -> Cost:
        """What the run has spent so far."""
        return self._sender.ledger.budget.spent

    def ask(self, requests: Sequence[Request], *, until_spent: bool = False) -> list[Answer | Failure]:
        """Return an answer or a failure for each request, in order.

        Known answers are not asked for again. Nor are duplicate requests, nor requests that got no valid answer before,
        unless `llm.retry_failed` is set. With `until_spent`, requests after a cap is reached become failures instead of
        an error.

        Raises:
            EndpointError: The endpoint cannot be asked.
            BudgetError: The next request could exceed a cap.
            PriceError: A cap in money is set, and the price of the model is unknown.
            TransientError: A request failed too often, or an answer cannot be stored.
            ArtifactError: A stored answer cannot be read.
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
        """Return a budget for one question within the run's; None: only the run's cap."""
        return Budget(None if usd is None else Decimal(str(usd)), of=self._sender.ledger.budget)

    def ask_one(
        self, request: Request, budget: Budget | None = None, tell: Callable[[str], None] | None = None
    ) -> Answer | Failure:
        """Return the answer to one request, or a failure; several threads may ask.

        A person waits for it: if the endpoint is busy or unreachable for longer than the client's patience, it fails.

        Args:
            request: The request.
            budget: From `part_of_budget`; it counts what is spent.
            tell: Called with each piece of the answer as it arrives, or with a known answer. If an attempt breaks off
                after a piece, later attempts are not reported.

        Raises:
            BudgetError: It could exceed a cap. Otherwise as `ask` does.
        """
        key = self._sender.key(request)
        if known := self._sender.known([key]).get(key):
            if tell and isinstance(known, Answer):
                tell(known.text)
            return known
        check_price(self._config, self.identity(request.purpose).model)
        with self.connected():
            return self._sender.ask(request, budget, tell, self._patience)

    def batch(self, purpose: str, requests: Iterable[Request], form: type[BaseModel]) -> int:
        """Let batches answer requests of one purpose; return the number still waiting.

        Finished answers are stored, so that `ask` finds them. This does not block: call it again until nothing waits,
        then `ask` for requests without an answer.

        Args:
            purpose: Purpose of the requests.
            requests: The requests; read when nothing waits.
            form: Form of the answers.

        Raises:
            ConfigError: There is no store to record batches in. Otherwise as `ask` does.
        """
        model = self.identity(purpose).model
        if not self._store:
            raise ConfigError("batches need a store", "llm.batch", 'Set llm.batch = "off"')
        with self.connected():
            batches = Batches(self._sender)
            batches.take(form)
            if not batches.under_way:
                check_price(self._config, model)
                batches.submit(requests)
            return batches.under_way

    def known(self, requests: Iterable[Request]) -> list[tuple[Request, Answer | Failure | None]]:
        """Return distinct requests with their earlier results, or None; nothing is sent."""
        by_key = {self._sender.key(request): request for request in requests}
        known = self._sender.known(by_key)
        return [(one, known.get(key)) for key, one in by_key.items()]

    def forecast(self, requests: Iterable[Request]) -> Forecast:
        """Return the expected cost of answering requests of one purpose; nothing is sent."""
        asked = known = prompt = completion = 0
        usd: Decimal | None = Decimal(0)
        waiting = iter(requests)
        while some := list(islice(waiting, _AT_ONCE)):
            for request, result in self.known(some):
                if result is not None:
                    known += 1
                    continue
                usage = expected(request)
                cost = price(self._config, self.identity(request.purpose).model, usage)
                usd = None if usd is None or cost is None else usd + cost
                asked, prompt = asked + 1, prompt + usage.prompt_tokens
                completion += usage.completion_tokens
        if usd is not None and self._config.batch != "off" and asked >= BATCH_FROM:
            usd *= BATCH_PRICE
        return Forecast(asked, known, prompt, completion, usd)

    def connected(self) -> AbstractContextManager[None]:
        """Hold connections open for a block; they close when the last such block ends.

        Raises:
            EndpointError: There is no key for OpenAI itself.
            ArtifactError: The record of earlier spending cannot be read.
        """
        return self._sender.connected()

    def embed(self, texts: Sequence[str], model: str, dimensions: int = 0) -> NDArray[np.float32]:
        """Return the vectors of texts, shape (texts, dimension), by one request. They are not kept; raises as `ask`."""
        check_price(self._config, model)
        with self.connected():
            return self._sender.embed(texts, model, dimensions)

    def _asked_by_threads(
        self, missing: Sequence[tuple[str, Request]], until_spent: bool
    ) -> dict[str, Answer | Failure]:
        """Return results by key; after the first error only requests under way finish."""
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
