"""Ask a model about packs of windows, and report the outcome of each."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from graphrag_tasks.core.config import HYBRID, Config
from graphrag_tasks.core.errors import BudgetError, EndpointError
from graphrag_tasks.core.globs import fits_any
from graphrag_tasks.core.ids import fingerprint
from graphrag_tasks.extract.llm.prompt import PURPOSE, Told
from graphrag_tasks.extract.llm.requests import Pack
from graphrag_tasks.llm import Answer, Client, Failure
from graphrag_tasks.llm.answers import Kind
from graphrag_tasks.llm.forecast import Forecast, Rates
from graphrag_tasks.llm.request import Identity, Request

log = logging.getLogger(__name__)

EXCLUDED = "excluded"  # Status of a pack whose document is never sent.
UNANSWERED = (str(Kind.OVER_BUDGET),)  # Statuses of packs that a later run asks again.

_HALVED = {Kind.TRUNCATED, Kind.TOO_LONG}
_USELESS = {Kind.INVALID, Kind.TRUNCATED, Kind.TOO_LONG, Kind.EMPTY}
_FEW_REQUESTS = 20  # With fewer requests, the failed share is too uncertain to end a run. Chosen.


@dataclass(frozen=True)
class Reply:
    """A pack with its answer or `Failure`; None if it is not sent."""

    pack: Pack
    result: Answer | Failure | None

    @property
    def status(self) -> str:
        """The outcome: `answered`, another `Kind`, or `excluded`."""
        if self.result is None:
            return EXCLUDED
        return str(Kind.ANSWERED if isinstance(self.result, Answer) else self.result.kind)


class Reader(Protocol):
    """Reads packs: an endpoint, or an oracle in a benchmark."""

    @property
    def identity(self) -> Identity:
        """Identity of the model."""

    def key(self, pack: Pack, /) -> str:
        """Return the key of a pack's request."""

    def read(self, packs: Sequence[Pack], /) -> list[Reply]:
        """Return a reply for each pack, or for its parts, in order."""


class LlmReader:
    """Asks a model; requests that were sent before, answered or not, are not sent again.

    If `may_spend` is false, unanswered requests count as over budget.
    """

    def __init__(self, client: Client, config: Config, *, may_spend: bool = True) -> None:
        self._client, self._may_spend = client, may_spend
        self.identity = client.identity(PURPOSE)
        self._exclude = config.llm.exclude
        self._max_failed = config.extract.llm.max_failed_share
        when_spent = config.llm.budget.when_spent
        self._until_spent = (when_spent or _by_extractor(config)) == "publish"
        self._results: dict[str, Answer | Failure] = {}

    @property
    def fingerprint(self) -> str:
        """What decides the replies: prompt, schema and model, and what is never sent."""
        empty = Pack("", "", (), 0).request.key(self.identity)
        return fingerprint({"request": empty, "exclude": self._exclude})

    @property
    def concurrency(self) -> int:
        """Number of concurrent requests."""
        return self._client.concurrency

    @property
    def spent(self) -> Decimal | None:
        """USD spent in this run; None if the price is unknown."""
        return self._client.spent.usd

    def rates(self, packs: Iterable[Pack]) -> Rates:
        """Return estimates for further requests from those already answered."""
        return self._client.rates(pack.request for pack in packs if self._may_be_sent(pack))

    def forecast(
        self, packs: Callable[[], Iterable[Pack]], rates: Rates | None = None, *, batched: bool | None = None
    ) -> Forecast:
        """Return the forecast for reading packs: see `Client.forecast`."""
        return self._client.forecast(self._requests(packs), rates, batched=batched)

    def batch(self, packs: Callable[[], Iterable[Pack]]) -> int:
        """Read packs by batches; return the number of pending requests: see `Client.batch`."""
        return self._client.batch(PURPOSE, self._requests(packs), Told)

    def _requests(self, packs: Callable[[], Iterable[Pack]]) -> Callable[[], Iterable[Request]]:
        return lambda: (pack.request for pack in packs() if self._may_be_sent(pack))

    def read(self, packs: Sequence[Pack]) -> list[Reply]:
        """Return a reply for each pack, or for its parts if it is too long."""
        waiting = list(packs)
        replies: dict[int, list[Reply]] = {}
        places = list(range(len(packs)))
        while waiting:
            results = self._asked([one for one in waiting if self._may_be_sent(one)])
            again, places_again = [], []
            for place, pack in zip(places, waiting, strict=True):
                result = results.get(self.key(pack))
                halves = pack.halves() if _is_too_long(result) else []
                if halves:
                    again += halves
                    places_again += [place] * len(halves)
                else:
                    replies.setdefault(place, []).append(Reply(pack, result))
            waiting, places = again, places_again
        found = [reply for place in sorted(replies) for reply in replies[place]]
        self._refuse_useless(found)
        return found

    def forget(self) -> None:
        """Free the memory of replies, which the store has."""
        self._results.clear()

    def key(self, pack: Pack) -> str:
        """Return the key of a pack's request."""
        return pack.request.key(self.identity)

    def _may_be_sent(self, pack: Pack) -> bool:
        return not fits_any(pack.path, self._exclude)

    def _asked(self, packs: Sequence[Pack]) -> dict[str, Answer | Failure]:
        requests = {self.key(pack): pack.request for pack in packs}
        new = [key for key in requests if key not in self._results]
        if new and self._may_spend:
            results = self._client.ask([requests[key] for key in new], until_spent=self._until_spent)
            self._results |= zip(new, results, strict=True)
        elif new:
            self._results |= self._known([requests[key] for key in new])
        return {key: self._results[key] for key in requests}

    def _known(self, requests: Sequence[Request]) -> dict[str, Answer | Failure]:
        """Return the known answers; others count as over budget."""
        what, found = "what it costs was not approved", dict[str, Answer | Failure]()
        for request, known in self._client.known(requests):
            if known is None and not self._until_spent:
                raise BudgetError(what, "ask", "Answers are kept. Approve it, or ask less")
            key = request.key(self.identity)
            found[key] = known or Failure(key, Kind.OVER_BUDGET, what)
        return found

    def _refuse_useless(self, replies: Iterable[Reply]) -> None:
        """Raise if too many answers are invalid: the graph would lack their facts."""
        kinds = Counter(reply.result.kind for reply in replies if isinstance(reply.result, Failure))
        useless = {kind: kinds[kind] for kind in _USELESS if kinds[kind]}
        asked = sum(reply.result is not None for reply in replies)
        failed = sum(useless.values())
        if asked >= _FEW_REQUESTS and failed > self._max_failed * asked:
            named = ", ".join(f"{useless[kind]} {kind}" for kind in sorted(useless))
            raise EndpointError(
                f"{failed} of {asked} requests gave no valid answer ({named})",
                f"{self.identity.model} at {self.identity.provider}",
                "Answers are kept. Name another model, or raise extract.llm.output_tokens, or "
                "lower extract.llm.windows_per_request, or raise extract.llm.max_failed_share",
            )


def _by_extractor(config: Config) -> str:
    """Return what a run does when its budget is spent: with `hybrid` the rules suffice."""
    return "publish" if config.extract.extractor == HYBRID else "fail"


def _is_too_long(result: Answer | Failure | None) -> bool:
    return isinstance(result, Failure) and result.kind in _HALVED
