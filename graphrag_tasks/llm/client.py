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
import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from itertools import islice
from threading import Event, RLock

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.errors import (
    BudgetError,
    ConfigError,
    EndpointError,
    TransientError,
    UnusableAnswersError,
)
from graphrag_tasks.core.ids import fingerprint
from graphrag_tasks.core.progress import Progress
from graphrag_tasks.llm.abilities import PROMPT, SCHEMA, Abilities
from graphrag_tasks.llm.answers import Answer, Failure, Kind, Usage
from graphrag_tasks.llm.batch import Batches
from graphrag_tasks.llm.budget import NOTHING, Budget, Cost
from graphrag_tasks.llm.endpoint import Endpoint, Outcome
from graphrag_tasks.llm.forecast import Forecast, Rates, forecast
from graphrag_tasks.llm.journal import Journal, MemoryJournal, StoreJournal
from graphrag_tasks.llm.ledger import Billed, Ledger
from graphrag_tasks.llm.limits import Limiter
from graphrag_tasks.llm.prices import check_price
from graphrag_tasks.llm.records import SURE, UNSURE
from graphrag_tasks.llm.request import Identity, Request
from graphrag_tasks.llm.streaming import Pieces, streamed

log = logging.getLogger(__name__)

EMBED = "embed"
"""Purpose of texts that are sent to be embedded."""

_AGAIN = "Run again: answers so far are kept"
_FIRST_WAIT = 0.5
_MOST_DOUBLED = 8
_MOST_WAITED = 3600.0
"""Seconds that one request is told to wait, in all, before the run gives up."""

_FREE = {Kind.BUSY, Kind.FAILED, Kind.UNSUPPORTED, Kind.TOO_LONG, Kind.REFUSED}
"""Of these nothing is billed where the endpoint tells no tokens."""

_CUT_SHARE, _CUT_FROM = 0.6, 1000
_FIRST_ANSWERS, _EMPTY_SHARE = 20, 0.2
_TRIES_OF_FORM = 3

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
    """

    def __init__(self, config: LlmConfig, store: str | None = None, run: str = "") -> None:
        self._config, self._store, self._run = config, store, run
        self._journal: Journal = StoreJournal(store, config.keep_days) if store else MemoryJournal()
        self._ledger = Ledger(config, self._journal, run)
        self._limiter = Limiter(config.requests_per_minute, config.tokens_per_minute)
        self._stopped = Event()
        self._lock = RLock()
        self._endpoint: Endpoint | None = None
        self._users = 0
        self._learned: dict[str, Abilities] = {}
        self._counts = {kind: 0 for kind in Kind}
        self._has_answered = False

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
        model = model or self._config.model_for(purpose)
        if not model:
            raise ConfigError("no model is named", "llm.model", "Set llm.model: docs/llm.md")
        return Identity(provider(self._config), model, self._config.parameters)

    def abilities(self, purpose: str) -> Abilities:
        """Return how the endpoint is asked for a purpose, as far as it is known."""
        return self._abilities(self.identity(purpose).model)

    @property
    def config(self) -> LlmConfig:
        """The settings of the model."""
        return self._config

    @property
    def spent(self) -> Cost:
        """What the run spent so far."""
        return self._ledger.budget.spent

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
        keys = [one.key(self.identity(one.purpose)) for one in requests]
        by_key = dict(zip(keys, requests, strict=True))
        results = self._known(by_key, renew=True)
        missing = [(key, one) for key, one in by_key.items() if key not in results]
        log.info("%d requests, %d known", len(by_key), len(results))
        if missing:
            for model in sorted({self.identity(one.purpose).model for _, one in missing}):
                check_price(self._config, model)
            with self.connected():
                results |= self._asked_by_threads(missing, until_spent)
        return [results[key] for key in keys]

    def part_of_budget(self, usd: float | None) -> Budget:
        """Return a budget within the run's, for one question; None: the run's cap alone."""
        return Budget(None if usd is None else Decimal(str(usd)), of=self._ledger.budget)

    def ask_one(
        self,
        request: Request,
        budget: Budget | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> Answer | Failure:
        """Return the answer to one request, or why there is none; several threads may ask.

        Args:
            request: What is asked.
            budget: By `part_of_budget`; what is spent stands there afterwards.
            tell: Is called with each piece of the answer as it comes, or with a known answer. Where
                an attempt breaks off after a piece, the next one tells nothing.

        Raises:
            BudgetError: It could pass a cap. Otherwise as `ask` does.
        """
        key = request.key(self.identity(request.purpose))
        if known := self._known([key]).get(key):
            if tell and isinstance(known, Answer):
                tell(known.text)
            return known
        check_price(self._config, self.identity(request.purpose).model)
        with self.connected():
            return self._asked(key, request, budget, tell)

    def batch(
        self, purpose: str, requests: Callable[[], Iterable[Request]], form: type[BaseModel]
    ) -> int:
        """Have batches answer requests of one purpose; return how many are under way.

        Answers that are there are kept, so that `ask` finds them. Nothing waits here: call again
        until nothing is under way, then `ask` for what has no answer.

        Args:
            purpose: Of the requests.
            requests: Returns what is asked; called when nothing is under way.
            form: Of the answers.

        Raises:
            ConfigError: There is no store to keep batches in. Otherwise as `ask` does.
        """
        model = self.identity(purpose).model
        if not self._store:
            raise ConfigError("batches need a store", "llm.batch", 'Set llm.batch = "off"')
        with self.connected():
            batches = Batches(
                config=self._config, store=self._store, journal=self._journal,
                ledger=self._ledger, endpoint=self._open,
                abilities=lambda: self._abilities(model),
                learn=lambda found: self._set_abilities(model, found),
                ask=lambda request: self.ask([request], until_spent=True),
            )  # fmt: skip
            batches.take(form)
            if not batches.under_way and self._abilities(model).batches:
                check_price(self._config, model)
                batches.submit((self._to_bill(one), one) for one in requests())
            return batches.under_way

    def _to_bill(self, request: Request) -> Billed:
        identity = self.identity(request.purpose)
        return Billed(
            request.key(identity), request.purpose, identity.model, request.document_id,
            (request.system, request.user), request.max_output,
        )  # fmt: skip

    def known(self, requests: Iterable[Request]) -> list[tuple[Request, Answer | Failure | None]]:
        """Return requests, each once, with what came of them before; nothing is sent."""
        by_key = {one.key(self.identity(one.purpose)): one for one in requests}
        known = self._known(by_key)
        return [(one, known.get(key)) for key, one in by_key.items()]

    def _known(self, keys: Collection[str], *, renew: bool = False) -> dict[str, Answer | Failure]:
        known = self._journal.known(keys, renew=renew)
        self._has_answered |= any(isinstance(one, Answer) for one in known.values())
        if self._config.retry_failed:
            return {key: one for key, one in known.items() if isinstance(one, Answer)}
        return known

    def rates(self, requests: Iterable[Request]) -> Rates:
        """Return what follows from requests, learned from some of those that were asked.

        All attempts of this run count, also those that brought no valid answer. A sample of
        requests is drawn by their keys, so that it is the same in any order.
        """
        asked: dict[str, tuple[Request, Answer | Failure]] = {}
        for some in _groups(requests):
            keys = {one.key(self.identity(one.purpose)): one for one in some}
            asked |= {key: (keys[key], one) for key, one in self._journal.known(keys).items()}
            asked = {key: asked[key] for key in heapq.nsmallest(_SAMPLE, asked)}
        used = self._journal.usages(self._run, asked)
        found = []
        for key, (one, result) in asked.items():
            usage = used.get(key)
            if usage is None and isinstance(result, Answer):
                usage = result.usage
            if usage:
                found.append((one, usage))
        return Rates.learned(found)

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
            waiting = [one for one, known in found if known is None]
            model = self.identity(waiting[0].purpose).model if waiting else model
            known = len(found) - len(waiting)
            total += forecast(waiting, known, self._config, model, rates, Decimal(1))
        if batched is None:
            batched = total.requests >= self._config.batch_from
        if self._config.batch == "off" or not self._abilities(model).batches:
            batched = False
        return total.at(Decimal(str(self._config.batch_price))) if batched else total

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Hold connections for a block; they are closed when the last such block ends.

        Raises:
            EndpointError: There is no key for OpenAI itself.
            ArtifactError: What was spent before cannot be read.
        """
        with self._lock:
            _ = self._ledger.budget
            if self._endpoint is None:
                self._endpoint = Endpoint(self._config)
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    self._endpoint.close()
                    self._endpoint = None
            self._journal.flush()

    def embed(self, texts: Sequence[str], model: str, dimensions: int = 0) -> NDArray[np.float32]:
        """Return the vectors of texts, sent in one request; shape (texts, dimension).

        They are not kept here: a snapshot keeps them. To be called within `connected`; raises as
        `ask` does.
        """
        check_price(self._config, model)
        key = fingerprint({"purpose": EMBED, "model": model, "texts": list(texts)})
        billed = Billed(key, EMBED, model, None, tuple(texts), 0)
        outcome = self._until_done(
            billed, lambda: self._open.embed(texts, model, dimensions), _nothing
        )
        if outcome.vectors is None:
            raise EndpointError(f"texts are not embedded: {outcome.why}", self._config.url)
        return outcome.vectors

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
            while not self._stopped.is_set():
                with self._lock:
                    item = next(waiting, None)
                if item is None:
                    return
                key, request = item
                try:
                    if spent:
                        results[key] = Failure(key, Kind.OVER_BUDGET, spent[0])
                    else:
                        results[key] = self._asked(key, request)
                except BudgetError as error:
                    if until_spent:
                        spent.append(str(error))
                        results[key] = Failure(key, Kind.OVER_BUDGET, spent[0])
                    else:
                        errors.append(error)
                        self._stopped.set()
                except BaseException as error:  # noqa: BLE001 - raised below
                    errors.append(error)
                    self._stopped.set()
                with self._lock:
                    progress.reach(len(results))

        threads = min(self._config.concurrency, len(missing))
        try:
            with ThreadPoolExecutor(threads, thread_name_prefix="llm") as pool:
                try:
                    wait([pool.submit(work) for _ in range(threads)])
                finally:  # also where a user interrupts
                    self._stopped.set()
        finally:
            self._stopped.clear()
        if errors:
            raise errors[0]  # the others may be of requests that this one stopped
        return results

    def _asked(
        self,
        key: str,
        request: Request,
        budget: Budget | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> Answer | Failure:
        """Ask until there is a result: in another way where the endpoint does not understand."""
        identity = self.identity(request.purpose)
        billed = replace(self._to_bill(request), budget=budget)
        pieces = Pieces(tell) if tell else None
        problem, tries = "", 0
        while True:
            abilities = self._abilities(identity.model)
            if tries >= _TRIES_OF_FORM - 1 and not self._counts[Kind.ANSWERED]:
                abilities = replace(abilities, structured=PROMPT)

            def send(how: Abilities = abilities, wrong: str = problem) -> Outcome:
                if pieces is not None:
                    return streamed(self._open, request, identity.model, how, pieces)
                return self._open.attempt(request, identity.model, how, wrong)

            outcome = self._until_done(billed, send, self._keep_for(key, billed))
            if outcome.kind == Kind.UNSUPPORTED:
                self._learn(identity.model, abilities, outcome)
            elif outcome.kind == Kind.INVALID and tries < self._tries_of_form - 1:
                problem, tries = outcome.why, tries + 1
            else:
                if outcome.kind == Kind.ANSWERED and tries >= _TRIES_OF_FORM - 1:
                    self._set_abilities(identity.model, abilities)
                return self._result(key, outcome)

    @property
    def _tries_of_form(self) -> int:
        """How often an answer of another form is asked for again: more, while none was right."""
        return 2 if self._counts[Kind.ANSWERED] else _TRIES_OF_FORM

    def _keep_for(self, key: str, billed: Billed) -> Callable[[Outcome], None]:
        def keep(outcome: Outcome) -> None:
            if outcome.kind == Kind.ANSWERED:
                self._refuse_cut_prompts(billed, outcome)
                usage = outcome.usage or Usage()
                self._journal.keep(Answer(key, outcome.text, usage, outcome.model))

        return keep

    def _result(self, key: str, outcome: Outcome) -> Answer | Failure:
        with self._lock:
            self._counts[outcome.kind] += 1
            counts = dict(self._counts)
        if outcome.kind == Kind.ANSWERED:
            self._has_answered = True
            return Answer(key, outcome.text, outcome.usage or Usage(), outcome.model)
        self._refuse_useless(counts)
        failure = Failure(key, outcome.kind, outcome.why)
        if self._has_answered:  # else it may be the settings, not the request
            self._journal.give_up(failure)
        return failure

    def _until_done(
        self, billed: Billed, send: Callable[[], Outcome], keep: Callable[[Outcome], None]
    ) -> Outcome:
        """Send a request until something came of it; where the endpoint is away for long, raise.

        To be told to wait is no failure: only an hour of it is.
        """
        backoff = random.Random(billed.key)  # noqa: S311 - spreads threads, no secret
        outcome, failed, busy = None, 0, 0
        waited = 0.0
        while failed < self._config.attempts and not (self._stopped.is_set() and failed + busy):
            outcome, left_at = self._billed(billed, send, keep)
            if outcome.kind not in (Kind.BUSY, Kind.FAILED, Kind.UNSURE):
                return outcome
            longest = self._config.longest_wait_seconds
            again = min(failed + busy, _MOST_DOUBLED)
            seconds = min(_FIRST_WAIT * 2**again * (0.5 + backoff.random()), longest)
            if outcome.wait is not None:
                seconds = outcome.wait
            if outcome.kind == Kind.BUSY:
                busy, waited = busy + 1, waited + seconds
                if waited > _MOST_WAITED:
                    break
                self._limiter.refused(left_at, seconds)
                log.info("%s: %s; asked again in %.1f s", billed.purpose, outcome.why, seconds)
                continue
            failed += 1
            if seconds > longest:
                break
            log.warning("%s: %s; asked again in %.1f s", billed.purpose, outcome.why, seconds)
            self._stopped.wait(seconds)
        why = outcome.why if outcome else "the run was stopped"
        raise TransientError(why, self._config.url, _AGAIN)

    def _billed(
        self, billed: Billed, send: Callable[[], Outcome], keep: Callable[[Outcome], None]
    ) -> tuple[Outcome, float]:
        """Send a request once, with the worst case set aside and a record of what it cost.

        Returns what came of it, and when it left.
        """
        ledger, worst = self._ledger, self._ledger.cost(billed.model, billed.most)
        budget = billed.budget or ledger.budget
        budget.reserve(worst)
        spent = NOTHING
        try:
            left_at = self._limiter.take(billed.tokens + billed.max_output)
            name = self._journal.sending(billed.key, ledger.attempt(billed))
            spent = worst
            try:
                outcome = send()
            except EndpointError:
                spent = NOTHING
                self._journal.sent(name, ledger.refused(billed))
                raise
            usage, fate = _usage(outcome, billed.most)
            keep(outcome)
            spent = ledger.cost(billed.model, usage)
            self._journal.sent(name, ledger.attempt(billed, usage, fate=fate, kind=outcome.kind))
        finally:
            budget.settle(worst, spent)
        self._limiter.told(outcome.headers)
        if outcome.kind != Kind.BUSY:
            self._limiter.answered()
        return outcome, left_at

    def _refuse_cut_prompts(self, billed: Billed, outcome: Outcome) -> None:
        """Refuse an answer to a prompt that the server cut without a word, as Ollama does."""
        if outcome.usage is None:
            return
        read, sent = outcome.usage.prompt_tokens, billed.tokens
        if sent >= _CUT_FROM and read < _CUT_SHARE * sent:
            what = f"the server read {read:,} of about {sent:,} tokens of a prompt: it cuts them"
            hint = "Raise its context; with Ollama: PARAMETER num_ctx 16384 in the Modelfile"
            raise EndpointError(what, self._config.url, hint)

    def _refuse_useless(self, counts: Mapping[Kind, int]) -> None:
        done = sum(counts.values())
        if counts[Kind.EMPTY] > _EMPTY_SHARE * _FIRST_ANSWERS and done <= _FIRST_ANSWERS:
            what = f"{counts[Kind.EMPTY]} of the first {done} answers are empty"
            hint = (
                "A model that thinks spends its tokens on it: set llm.parameters.reasoning_effort"
            )
            raise UnusableAnswersError(what, self._config.url, hint)
        if counts[Kind.INVALID] >= _TRIES_OF_FORM and not counts[Kind.ANSWERED]:
            what = "no answer has the form that was asked for"
            hint = "Name a model that can write JSON, or set llm.structured"
            raise UnusableAnswersError(what, self._config.url, hint)

    def _abilities(self, model: str) -> Abilities:
        with self._lock:
            if model not in self._learned:
                set_by_hand = self._config.structured
                structured = SCHEMA if set_by_hand == "auto" else set_by_hand
                kept = (
                    self._journal.abilities(self._place(model)) if set_by_hand == "auto" else None
                )
                self._learned[model] = kept or Abilities(structured)
            return self._learned[model]

    def _learn(self, model: str, tried: Abilities, outcome: Outcome) -> None:
        """Ask in another way from now on, or raise where there is none."""
        other = tried.without(outcome.text)
        if other is None:
            raise EndpointError(outcome.why, self._config.url, "Name another model")
        self._set_abilities(model, other)

    def _set_abilities(self, model: str, abilities: Abilities) -> None:
        with self._lock:
            if self._learned.get(model) != abilities:
                self._learned[model] = abilities
                self._journal.learn(self._place(model), abilities)

    def _place(self, model: str) -> str:
        return fingerprint({"url": self._config.url, "model": model})

    @property
    def _open(self) -> Endpoint:
        if self._endpoint is None:
            raise RuntimeError("a client is asked outside of `connected`")
        return self._endpoint


def provider(config: LlmConfig) -> str:
    """Return the endpoint's name in the keys of answers: its host by default."""
    return config.provider or config.url.split("://", 1)[1].split("/", 1)[0]


def _usage(outcome: Outcome, most: Usage) -> tuple[Usage, str]:
    """Return the tokens that count, and whether they are what was billed."""
    if outcome.usage is not None:
        return outcome.usage, SURE
    return (Usage(), SURE) if outcome.kind in _FREE else (most, UNSURE)


def _nothing(_: Outcome) -> None:
    """Keep nothing: vectors are kept in the snapshot."""


def _groups(requests: Iterable[Request]) -> Iterator[list[Request]]:
    """Yield requests, as many as may be in memory at a time."""
    waiting = iter(requests)
    while some := list(islice(waiting, _AT_ONCE)):
        yield some
