"""The ask stage: a language model reads windows of sentences; its replies are kept unchanged.

One task asks for all shards, so limits and budget need no coordination, and equal requests are sent once. `adopt`
judges the answers.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import HYBRID, Config, ExtractConfig
from graphrag_tasks.core.errors import BudgetError, EndpointError
from graphrag_tasks.core.globs import fits_any
from graphrag_tasks.core.ids import fingerprint
from graphrag_tasks.core.stage import StageResult, stage, table
from graphrag_tasks.extract.llm.requests import PURPOSE, Pack, Told, packs_of
from graphrag_tasks.extract.llm.windows import windows_of
from graphrag_tasks.llm import Answer, Client, Failure
from graphrag_tasks.llm.request import Forecast, Identity, Kind, Request

log = logging.getLogger(__name__)

EXCLUDED = "excluded"  # Status of a pack whose document is never sent.
UNANSWERED = (str(Kind.OVER_BUDGET),)  # Statuses of packs that a later run asks again.

_HALVED = {Kind.TRUNCATED, Kind.TOO_LONG}
_USELESS = {Kind.INVALID, Kind.TRUNCATED, Kind.TOO_LONG, Kind.EMPTY}
_FEW_REQUESTS, _MOST_FAILED = 20, 0.2  # From so many requests on, the share without a valid answer that ends a run.


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
        self._until_spent = config.extract.extractor == HYBRID  # then the rules suffice, and the run publishes
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

    def forecast(self, packs: Iterable[Pack]) -> Forecast:
        """Return the forecast for reading packs: see `Client.forecast`."""
        return self._client.forecast(self._requests(packs))

    def batch(self, packs: Iterable[Pack]) -> int:
        """Read packs by batches; return the number of pending requests: see `Client.batch`."""
        return self._client.batch(PURPOSE, self._requests(packs), Told)

    def _requests(self, packs: Iterable[Pack]) -> Iterator[Request]:
        return (pack.request for pack in packs if self._may_be_sent(pack))

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
        if asked >= _FEW_REQUESTS and failed > _MOST_FAILED * asked:
            named = ", ".join(f"{useless[kind]} {kind}" for kind in sorted(useless))
            raise EndpointError(
                f"{failed} of {asked} requests gave no valid answer ({named})",
                f"{self.identity.model} at {self.identity.provider}",
                "Answers are kept. Name another model, or raise extract.llm.output_tokens",
            )


def _is_too_long(result: Answer | Failure | None) -> bool:
    return isinstance(result, Failure) and result.kind in _HALVED


@stage(
    per="shard",
    reads=(
        table("documents", "document_id", "path"),
        table("blocks"),
        table("cells"),
        table("chunks", "chunk_id", "heading_path"),
        table("sentences"),
        table("triples"),
    ),
    makes=("windows", "replies"),
    settings={"config": "extract"},
    given=("reader",),
)
def ask(
    documents: pa.Table,
    blocks: pa.Table,
    cells: pa.Table,
    chunks: pa.Table,
    sentences: pa.Table,
    triples: pa.Table,
    *,
    config: ExtractConfig,
    reader: Reader,
) -> StageResult:
    """Ask a language model for the facts in windows of sentences.

    Returns:
        `windows`: what is read; `replies`: one row for each request, answered or not.
    """
    tables = (documents, blocks, cells, chunks, sentences, triples)
    windows = windows_of(*tables, config=config)
    packs = packs_of(documents, chunks, sentences, windows, config.llm)
    replies = reader.read(packs)
    by_status = Counter[str]()
    for reply in replies:
        by_status[f"windows_{reply.status}"] += len(reply.pack.windows)
    return StageResult(
        {"windows": windows, "replies": replies_table(replies, reader)},
        {"requests": len(replies), "windows": windows.num_rows, **by_status},
    )


def replies_table(replies: Iterable[Reply], reader: Reader) -> pa.Table:
    """Return replies as rows of `schemas.REPLIES`."""
    rows = [_row(reply, reader) for reply in replies]
    return pa.Table.from_pylist(rows, schema=schemas.REPLIES)


def _row(reply: Reply, reader: Reader) -> dict[str, Any]:
    result = reply.result
    answer = result if isinstance(result, Answer) else None
    why = result.why if isinstance(result, Failure) else ""
    return {
        "request_key": reader.key(reply.pack),
        "document_id": reply.pack.document_id,
        "windows": [
            {"window_id": window.window_id, "sentence_ids": [key for key, _ in window.sentences]}
            for window in reply.pack.windows
        ],
        "sentence_ids": reply.pack.sentence_ids,
        "status": reply.status,
        "provider": reader.identity.provider,
        "model": answer.model if answer else reader.identity.model,
        "prompt_tokens": answer.usage.prompt_tokens if answer else 0,
        "completion_tokens": answer.usage.completion_tokens if answer else 0,
        "text": answer.text if answer else why,
    }
