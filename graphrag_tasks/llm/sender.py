"""Send one request to a model until there is a result.

`Client` sends requests through it concurrently, and `Batches` those outside batches. It holds what a run's requests
share: connections, rate limit and budget.
"""

from __future__ import annotations

import logging
import math
import random
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Event, RLock
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.errors import BudgetError, ConfigError, EndpointError, TransientError, UnusableAnswersError
from graphrag_tasks.core.ids import fingerprint
from graphrag_tasks.llm.budget import Billed, Budget, Ledger, Limiter, believed
from graphrag_tasks.llm.endpoint import Endpoint
from graphrag_tasks.llm.journal import SURE, UNSURE, Journal
from graphrag_tasks.llm.request import (
    NOTHING,
    Answer,
    Cost,
    Failure,
    Identity,
    Kind,
    Outcome,
    Request,
    Usage,
    correction,
)
from graphrag_tasks.llm.streaming import Pieces

log = logging.getLogger(__name__)

EMBED = "embed"  # Purpose of embedding requests.

_AGAIN = "Run again: answers so far are kept"
ATTEMPTS = 5  # Tries of a request that fails for a while: with their waits some ten seconds.

_FIRST_WAIT, LONGEST_WAIT = 0.5, 120.0
_MOST_DOUBLED = 8
"""Seconds before a request is sent again, at most, and how often they are doubled: to 128, above the most. Half of
them to one and a half times as many are waited."""
_MOST_WAITED = 3600.0  # Most seconds in all that the endpoint may make one request wait before the run gives up.

_WAITS_FOR_OTHERS = (0.3, 0.6, 1.2, 2.4, 4.8)
"""Seconds to wait for requests of other processes, which may cost less than their worst case."""

_FIRST, _MOST_USELESS = 20, 10  # First results of a run, and how many of them may be useless before it ends. Chosen.
_USELESS = {
    Kind.INVALID: 'Name a model that can write JSON, or set llm.structured = "json_object" or "prompt"',
    Kind.EMPTY: "A model that thinks spends its tokens on it: set llm.parameters.reasoning_effort",
    Kind.TRUNCATED: "Raise extract.llm.output_tokens; for answers to questions raise llm.answers.output_tokens",
}
"""Results that an endpoint or setting may be to blame for, and what to do then."""
_TOLERATED_TOKENS = 16  # Tokens over the limit that do not mean it is ignored: servers count end tokens differently.


class Sender:
    """Sends the requests of one run; several threads may use it.

    Args:
        config: Settings of the model.
        journal: Stores answers and attempts.
        run: Name of the run.

    Attributes:
        config: Likewise.
        journal: Likewise.
        ledger: The run's budget and spending.
        stopped: Set when nothing more is to be sent.
    """

    def __init__(self, config: LlmConfig, journal: Journal, run: str) -> None:
        self.config, self.journal = config, journal
        self.ledger = Ledger(config, journal, run)
        self.stopped = Event()
        self._limiter = Limiter(config.requests_per_minute, config.tokens_per_minute)
        self._lock = RLock()
        self._endpoint: Endpoint | None = None
        self._users = 0
        self._counts = Counter[Kind]()
        self._has_answers = False
        self._overlong: dict[str, float] = {}

    def identity(self, purpose: str = "", model: str = "") -> Identity:
        """Return provider, model and parameters for a purpose or a model; answers depend on them."""
        model = model or self.config.model_for(purpose)
        if not model:
            raise ConfigError("no model is named", "llm.model", "See docs/how-to/llm-extraction.md")
        return Identity(provider(self.config), model, self.config.parameters)

    def key(self, request: Request) -> str:
        """Return the key of the answer to a request."""
        return request.key(self.identity(request.purpose))

    def record(self, request: Request) -> Billed:
        """Return a request's cost data."""
        identity = self.identity(request.purpose)
        return Billed(
            request.key(identity), request.purpose, identity.model, request.document_id,
            request.prompt, request.max_output,
        )  # fmt: skip

    def most(self, record: Billed) -> Usage:
        """Return the most tokens that a request can use, also where the endpoint exceeded its limit."""
        overlong = self._overlong.get(record.model, 1.0)
        return replace(record.most, completion_tokens=math.ceil(record.max_output * overlong))

    def known(self, keys: Collection[str], *, renew: bool = False) -> dict[str, Answer | Failure]:
        """Return the known results of requests; the others must be asked.

        With `renew`, the answers count as used, and are kept for longer.
        """
        known = self.journal.known(keys, renew=renew)
        answers = {key: answer for key, answer in known.items() if isinstance(answer, Answer)}
        self._has_answers |= bool(answers)
        return dict(answers) if self.config.retry_failed else known

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Hold connections open for a block; they close when the last such block ends."""
        with self._lock:
            _ = self.ledger.budget
            if self._endpoint is None:
                self._endpoint = Endpoint(self.config)
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    self._endpoint.close()
                    self._endpoint = None
            self.journal.close()

    @property
    def endpoint(self) -> Endpoint:
        """The connected endpoint, within `connected`."""
        if self._endpoint is None:
            raise RuntimeError("a client is asked outside of `connected`")
        return self._endpoint

    def ask(
        self,
        request: Request,
        budget: Budget | None = None,
        tell: Callable[[str], None] | None = None,
        patience: float = math.inf,
    ) -> Answer | Failure:
        """Return the answer to a request that is not known: see `Client.ask_one`.

        Call it within `connected`. After `patience` seconds no further attempt is made.
        """
        until = time.monotonic() + patience
        record = replace(self.record(request), budget=budget)
        pieces = Pieces(tell) if tell else None

        def done(problem: str = "") -> Outcome:
            asked = replace(record, prompt=(*record.prompt, correction(problem)))
            return self._until_done(
                asked, lambda: self.endpoint.attempt(request, record.model, problem, pieces), until, keeps=True
            )

        outcome = done()
        if outcome.kind == Kind.INVALID:
            outcome = done(outcome.why)
        self._count(outcome.kind)
        if outcome.kind == Kind.ANSWERED:
            return _answer(record, outcome)
        failure = Failure(record.key, outcome.kind, outcome.why)
        if self._has_answers:  # else it may be the settings, not the request
            self.journal.keep(failure)
        return failure

    def embed(self, texts: Sequence[str], model: str, dimensions: int) -> NDArray[np.float32]:
        """Return the vectors of texts: see `Client.embed`."""
        key = fingerprint({"purpose": EMBED, "model": model, "texts": list(texts)})
        record = Billed(key, EMBED, model, None, tuple(texts), 0)
        outcome = self._until_done(record, lambda: self.endpoint.embed(texts, model, dimensions))
        if outcome.vectors is None:
            raise EndpointError(f"texts are not embedded: {outcome.why}", self.config.url)
        return outcome.vectors

    def _count(self, kind: Kind) -> None:
        """Count a result; raise where too many of the first are useless, while they cost little."""
        with self._lock:
            self._counts[kind] += 1
            counts = self._counts.copy()
        self._has_answers |= kind == Kind.ANSWERED
        done, useless = counts.total(), {one: counts[one] for one in _USELESS if counts[one]}
        if kind in _USELESS and done <= _FIRST and sum(useless.values()) > _MOST_USELESS:
            named = ", ".join(f"{count} {one}" for one, count in useless.items())
            what = f"{sum(useless.values())} of the first {done} answers are useless ({named})"
            raise UnusableAnswersError(what, self.config.url, _USELESS[max(useless, key=useless.__getitem__)])

    def _until_done(
        self, record: Billed, send: Callable[[], Outcome], until: float = math.inf, *, keeps: bool = False
    ) -> Outcome:
        """Send a request until there is a result; raise where the endpoint stays unreachable.

        Being told to wait is no failure, unless the waits exceed an hour, or the time `until`. An answer is stored if
        `keeps`; vectors are not.
        """
        backoff = random.Random(record.key)  # noqa: S311 - spreads threads, no secret
        outcome, failed, busy = None, 0, 0
        waited = 0.0
        while failed < ATTEMPTS and not (self.stopped.is_set() and failed + busy):
            outcome, left_at = self._attempt(record, send, until, keeps=keeps)
            if outcome.kind not in (Kind.BUSY, Kind.FAILED, Kind.UNSURE):
                return outcome
            again = min(failed + busy, _MOST_DOUBLED)
            seconds = min(_FIRST_WAIT * 2**again * (0.5 + backoff.random()), LONGEST_WAIT)
            if outcome.wait is not None:
                seconds = outcome.wait
            if outcome.kind == Kind.BUSY:
                busy, waited = busy + 1, waited + seconds
                if waited > _MOST_WAITED:
                    break
                self._limiter.refused(left_at, seconds)
            if time.monotonic() + seconds > until:
                raise self._no_patience(outcome.why, seconds)
            if outcome.kind == Kind.BUSY:
                log.info("%s: %s; asked again in %.1f s", record.purpose, outcome.why, seconds)
                continue
            failed += 1
            if seconds > LONGEST_WAIT:
                break
            log.warning("%s: %s; asked again in %.1f s", record.purpose, outcome.why, seconds)
            self.stopped.wait(seconds)
        why = outcome.why if outcome else "the run was stopped"
        raise TransientError(why, self.config.url, _AGAIN)

    def _attempt(
        self, record: Billed, send: Callable[[], Outcome], until: float, *, keeps: bool
    ) -> tuple[Outcome, float]:
        """Send a request once, with its worst case reserved and its cost recorded.

        Returns the outcome and the send time.
        """
        ledger, budget = self.ledger, record.budget or self.ledger.budget
        most, worst = self._set_aside(record, budget)
        spent = NOTHING
        try:
            try:
                seconds = until - time.monotonic()
                left_at = self._limiter.take(record.tokens + record.max_output, seconds)
            except TimeoutError:
                why = "other requests were told to wait"
                raise self._no_patience(why, self._limiter.wait) from None
            sent = self._on_record(record, most)
            spent = worst
            try:
                outcome = send()
            except EndpointError:
                spent = NOTHING
                self.journal.sent(sent, ledger.refused(record))
                raise
            usage, fate = _usage(outcome, most)
            self._watch_length(record, outcome.usage)
            answer = _answer(record, outcome) if keeps and outcome.kind == Kind.ANSWERED else None
            spent = ledger.cost(record.model, usage)
            attempt = ledger.attempt(record, usage, fate=fate, kind=outcome.kind)
            self.journal.sent(sent, attempt, answer)
        finally:
            budget.settle(worst, spent)
        self._limiter.told(outcome.headers)
        if outcome.kind != Kind.BUSY:
            self._limiter.answered()
        return outcome, left_at

    def _on_record(self, billed: Billed, most: Usage) -> int:
        """Record a request that exceeds no cap together with those of other processes."""
        attempt = self.ledger.attempt(billed, most)
        for seconds in _WAITS_FOR_OTHERS:
            with suppress(BudgetError):
                return self.journal.sending(attempt, self.ledger.check)
            if self.stopped.wait(seconds * random.uniform(0.5, 1.5)):  # noqa: S311 - spreads processes
                break
        return self.journal.sending(attempt, self.ledger.check)

    def _no_patience(self, why: str, seconds: float) -> TransientError:
        what = f"the endpoint is busy or away for {seconds:.0f} s more: {why}"
        return TransientError(what, self.config.url, "Ask again later")

    def _set_aside(self, record: Billed, budget: Budget) -> tuple[Usage, Cost]:
        """Reserve a request's worst case, recomputed once there is room for it."""
        while True:
            most = self.most(record)
            worst = self.ledger.cost(record.model, most)
            budget.reserve(worst)
            if self.most(record) == most:
                return most, worst
            budget.settle(worst, NOTHING)

    def _watch_length(self, record: Billed, usage: Usage | None) -> None:
        """Note an answer longer than its limit, as the next may be as long."""
        if usage is None or usage.completion_tokens <= record.max_output + _TOLERATED_TOKENS:
            return
        overlong = usage.completion_tokens / max(record.max_output, 1)
        with self._lock:
            before = self._overlong.get(record.model, 1.0)
            self._overlong[record.model] = max(overlong, before)
        if before == 1:
            log.warning(
                "%s at %s ignores the limit of answers: one has %d tokens, %d were allowed; from now on as much is set "
                "aside for each. Name another model or endpoint where that is too dear",
                record.model, self.config.url, usage.completion_tokens, record.max_output,
            )  # fmt: skip


def provider(config: LlmConfig) -> str:
    """Return the endpoint's name in answer keys: its host."""
    return urlsplit(config.url).hostname or config.url


def _usage(outcome: Outcome, most: Usage) -> tuple[Usage, str]:
    """Return the tokens to count, and whether the endpoint reported them."""
    if outcome.usage == Usage():
        return outcome.usage, SURE
    usage = believed(outcome.usage, most, outcome.text)
    return (usage, SURE) if usage else (most, UNSURE)


def _answer(record: Billed, outcome: Outcome) -> Answer:
    return Answer(record.key, outcome.text, outcome.usage or Usage(), outcome.model)
