"""Batches: requests that are answered within a day, at half the price.

The journal records each batch before it is created (`intent`), when it is created (`submitted`) and when its answers
are stored (`taken`). The endpoint stores the batch's key, too, so a batch is found again after any loss, and no request
is paid twice. Until its answers arrive, a batch counts in full against the budget of the run that created it; any later
run can collect them.

The longest possible answers are reserved. Requests that exceed a cap wait for the next batch.
"""

from __future__ import annotations

import json
import logging
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import chain, islice
from typing import NamedTuple

from pydantic import BaseModel

from graphrag_tasks.core.errors import BudgetError, EndpointError
from graphrag_tasks.core.ids import fingerprint
from graphrag_tasks.llm.budget import Billed, believed
from graphrag_tasks.llm.journal import SURE, UNSURE, Attempt
from graphrag_tasks.llm.remote import PATH, RemoteBatch, RemoteBatches
from graphrag_tasks.llm.request import NOTHING, Answer, Cost, Kind, Outcome, Request, Usage
from graphrag_tasks.llm.sender import Sender

INTENT, SUBMITTED, TAKEN, DONE, REFUSED = "intent", "submitted", "taken", "done", "refused"


class BatchRequest(NamedTuple):
    """A request of a batch, with its reserved tokens and price."""

    key: str
    document_id: str | None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: str | None = "0"


@dataclass(frozen=True)
class Batch:
    """A batch in the journal.

    Attributes:
        status: `intent`, `submitted`, `taken`, `done`, or `refused` for its size: later ones have half the tokens.
        url: The endpoint's address.
        run: The run that created it and pays for it.
        purpose: Purpose of its requests.
        model: Model asked.
        tokens: Approximate number of prompt tokens.
        requests: Its requests; of a `done` batch, those without an answer, which are not batched again.
        batch_id: Its id at the endpoint.
        files: Its file ids at the endpoint.
        is_part: Whether other requests did not fit, and wait for the next batch, however few.
    """

    status: str
    url: str
    run: str
    purpose: str
    model: str
    tokens: int
    requests: tuple[BatchRequest, ...]
    batch_id: str = ""
    files: tuple[str, ...] = ()
    is_part: bool = False

    def set_aside(self, asked: BatchRequest) -> Attempt:
        """Return the record of a request whose result is unknown."""
        return Attempt(
            key=asked.key,
            run=self.run,
            purpose=self.purpose,
            model=self.model,
            document_id=asked.document_id,
            fate=UNSURE,
            kind="",
            prompt_tokens=asked.prompt_tokens,
            completion_tokens=asked.completion_tokens,
            usd=asked.usd,
        )

    @classmethod
    def of_text(cls, text: str) -> Batch:
        """Return the batch that `to_text` wrote."""
        value = json.loads(text)
        value["requests"] = tuple(BatchRequest(*asked) for asked in value["requests"])
        return cls(**{**value, "files": tuple(value["files"])})

    def to_text(self) -> str:
        """Return the stored text."""
        return json.dumps(asdict(self))


log = logging.getLogger(__name__)

_MOST_REQUESTS, _MOST_BYTES = 50_000, 40_000_000
"""Most requests and bytes in a file; OpenAI allows 50,000 and 200 MB. An upload holds three copies in memory."""
BATCH_FROM = 100  # Requests that are worth a batch; fewer are answered at once.
_AT_ONCE = 1000  # Requests looked up at once.


@dataclass(frozen=True)
class _Waiting:
    """A request to put into a batch, with its reserved cost."""

    record: Billed
    line: bytes
    most: Usage
    aside: Cost


class Batches:
    """The batches of a store at an endpoint; used within `Sender.connected`.

    Args:
        sender: Asks single requests, and knows the endpoint, the budget and the journal.
    """

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._config, self._endpoint = sender.config, sender.endpoint
        self._journal, self._ledger = sender.journal, sender.ledger
        self._remote = RemoteBatches(self._endpoint)
        self._left_out = ""  # Why some requests are in no batch yet.

    def take(self, form: type[BaseModel]) -> None:
        """Store the answers of finished batches, and check the state of the others.

        Args:
            form: Form of the answers.
        """
        for key, batch in self._own():
            self._follow(key, batch, form)

    def submit(self, requests: Iterable[Request]) -> None:
        """Create batches of unanswered requests in no batch, within the budget.

        Fewer than `BATCH_FROM` requests are left to be asked directly, unless an earlier batch left them out. The first
        request is also asked directly, so an error shows before a day is lost.
        """
        parts = [(key, one) for key, one in self._own() if one.is_part and self._pays(one)]
        waiting = self._without_answer(requests)
        first = list(islice(waiting, BATCH_FROM))
        if len(first) < BATCH_FROM and not parts:
            if first:
                what = "%d requests are too few for a batch: asked at once, at full price"
                log.info(what, len(first))
            return
        if first and not parts:
            with suppress(BudgetError):  # then none of the others is affordable
                self._sender.ask(first.pop(0))
        self._make_groups(self._affordable(chain(first, waiting)), bool(parts))
        for key, batch in parts:
            self._finish(key, replace(batch, is_part=False))

    def _make_groups(self, affordable: Iterable[_Waiting], follows: bool) -> None:
        """Create batches as large as allowed; a small one only if it `follows` a partial batch."""
        count = size = 0
        group: list[_Waiting] = []
        for waiting in affordable:
            if len(group) == _MOST_REQUESTS or size + len(waiting.line) > _MOST_BYTES:
                if not self._make(group):
                    return
                count, size, group = count + len(group), 0, []
            group.append(waiting)
            size += len(waiting.line)
        if self._left_out:
            log.info("batches: others wait for the next one: %s", self._left_out)
        if count + len(group) + 1 >= BATCH_FROM or self._left_out or follows:
            self._make(group, is_part=bool(self._left_out))
        else:
            for waiting in group:
                self._ledger.budget.settle(waiting.aside, NOTHING)

    @property
    def under_way(self) -> int:
        """Number of requests waiting in batches."""
        return sum(len(batch.requests) for _, batch in self._own() if batch.status != DONE)

    def _without_answer(self, requests: Iterable[Request]) -> Iterator[Request]:
        """Yield distinct requests that have no answer and were in no batch."""
        seen = {_short(asked.key) for _, batch in self._own() for asked in batch.requests}
        waiting = iter(requests)
        while some := {self._sender.key(one): one for one in islice(waiting, _AT_ONCE)}:
            known = self._journal.known(some)
            for key, request in some.items():
                if _short(key) not in seen and key not in known:
                    seen.add(_short(key))
                    yield request

    def _pays(self, batch: Batch) -> bool:
        return batch.run == self._ledger.run

    def _affordable(self, requests: Iterable[Request]) -> Iterator[_Waiting]:
        """Yield requests with their cost reserved, up to the first that exceeds a cap."""
        batches = [batch for _, batch in self._own()]
        most_tokens = min((batch.tokens // 2 for batch in batches if batch.status == REFUSED), default=math.inf)
        waiting = sum(batch.tokens for batch in batches if batch.status not in (DONE, REFUSED))
        for request in requests:
            record = self._sender.record(request)
            most = self._sender.most(record)
            aside = self._ledger.cost(record.model, most, in_batch=True)
            waiting += record.tokens
            if waiting > most_tokens:
                self._left_out = "the account lets no more tokens wait"
                return
            if not self._ledger.budget.has_room(aside):
                self._left_out = "under the cap of llm.budget there is no room for more at a time"
                return
            self._ledger.budget.reserve(aside)
            body = self._endpoint.body(request, record.model)
            line = {"custom_id": record.key, "method": "POST", "url": PATH, "body": body}
            encoded = json.dumps(line, ensure_ascii=False).encode() + b"\n"
            yield _Waiting(record, encoded, most, aside)

    def _make(self, group: list[_Waiting], *, is_part: bool = False) -> bool:
        """Create a batch; return whether the endpoint supports batches."""
        if not group:
            return True
        first, keys = group[0].record, sorted(waiting.record.key for waiting in group)
        key = fingerprint({"url": self._endpoint.url, "requests": keys})
        batch = Batch(
            INTENT, self._endpoint.url, self._ledger.run, first.purpose, first.model,
            tokens=sum(waiting.record.tokens for waiting in group),
            requests=tuple(self._asked(waiting) for waiting in group),
            is_part=is_part,
        )  # fmt: skip
        worst = (batch.set_aside(asked) for asked in batch.requests)
        try:
            self._journal.begin_batch(key, batch.to_text(), worst, self._ledger.check)
        except BudgetError:
            self._ledger.read_again()
            raise
        for waiting in group:
            self._ledger.budget.settle(waiting.aside, waiting.aside)
        try:
            file_id = self._remote.upload(f"{key}.jsonl", b"".join(waiting.line for waiting in group))
            if file_id is None:
                log.warning("%s has no batches: requests are sent one by one", self._endpoint.url)
                self._forget(key)
                return False
            remote = self._remote.create(file_id, key)
        except EndpointError:
            self._forget(key)
            raise
        self._write(key, replace(batch, status=SUBMITTED, batch_id=remote.batch_id))
        log.info("batch %s: %d requests submitted", remote.batch_id, len(group))
        return True

    def _follow(self, key: str, batch: Batch, form: type[BaseModel]) -> None:
        """Continue a batch from its recorded state."""
        if batch.status == INTENT:
            found = self._remote.find(key)
            if found is None:
                self._give_up(key)
                return
            batch = replace(batch, status=SUBMITTED, batch_id=found.batch_id)
            self._write(key, batch)
        if batch.status == SUBMITTED:
            remote = self._remote.state(batch.batch_id)
            if remote is None:
                what = f"batch {batch.batch_id} is not known to this account"
                row = f"DELETE FROM batches WHERE key = '{key}'"  # noqa: S608 - it is told, not run
                hint = (
                    "Use the key of the account that made it. To give it up, and pay again: "
                    f'sqlite3 {self._journal.file} "{row}"'
                )
                raise EndpointError(what, self._endpoint.url, hint)
            if remote.has_failed:
                self._refused(key, batch, remote)
                return
            if not remote.has_ended:
                return
            left = self._keep(key, batch, remote, form)
            batch = replace(batch, status=TAKEN, files=remote.files, requests=left)
            self._write(key, batch)
        if batch.status == TAKEN:
            for one in batch.files:
                self._remote.delete(one)
            self._finish(key, replace(batch, status=DONE, files=()))
        if batch.status == DONE and batch.is_part and not self._pays(batch):
            self._finish(key, replace(batch, is_part=False))

    def _finish(self, key: str, batch: Batch) -> None:
        """Keep what later batches need to know of a finished batch, if anything."""
        self._write(key, batch if batch.requests or batch.is_part else None)

    def _write(self, key: str, batch: Batch | None) -> None:
        self._journal.write_batch(key, None if batch is None else batch.to_text())

    def _keep(self, key: str, batch: Batch, remote: RemoteBatch, form: type[BaseModel]) -> tuple[BatchRequest, ...]:
        """Store a batch's answers and their cost; return the requests without an answer."""
        asked = {request.key: request for request in batch.requests}
        stand_in = Request(batch.purpose, "", "", form, 0)
        left, records, counts = dict(asked), dict[str, Attempt](), Counter[str]()
        answers = []
        for file_id in remote.results:
            for request_key, outcome in self._remote.results(file_id, stand_in):
                if request_key not in asked:
                    counts["foreign"] += 1
                elif request_key in records:
                    counts["twice"] += 1
                else:
                    kind, records[request_key] = self._outcome(batch, asked[request_key], outcome)
                    counts[kind] += 1
                    if outcome is not None and kind == Kind.ANSWERED:
                        answers.append(Answer(request_key, outcome.text, outcome.usage or Usage(), outcome.model))
                        del left[request_key]
        for request in batch.requests:
            if request.key not in records:
                records[request.key] = self._record(batch, request, Usage(), remote.status)
                counts["missing"] += 1
        self._journal.settle(key, records.values(), answers)
        self._ledger.read_again()
        log.info("batch %s is %s: %s", batch.batch_id, remote.status, dict(counts))
        return tuple(left.values())

    def _outcome(self, batch: Batch, asked: BatchRequest, outcome: Outcome | None) -> tuple[str, Attempt]:
        """Return the result of a request, and its record."""
        if outcome is None:
            return "failed", self._record(batch, asked, Usage(), "failed")
        most = Usage(asked.prompt_tokens, asked.completion_tokens)
        told = believed(outcome.usage, most, outcome.text)
        if told is None:
            return outcome.kind, batch.set_aside(asked)
        return outcome.kind, self._record(batch, asked, told, outcome.kind)

    def _refused(self, key: str, batch: Batch, remote: RemoteBatch) -> None:
        """Create smaller batches where too many tokens wait, or raise."""
        for file in remote.files:
            self._remote.delete(file)
        self._forget(key)
        if remote.too_many_tokens and len(batch.requests) > 1:
            log.warning("batch %s is too large for the account: %s", batch.batch_id, remote.why)
            self._write(key, replace(batch, status=REFUSED, requests=()))
            return
        hint = 'Nothing was billed. Mend that, or set llm.batch = "off"'
        raise EndpointError(f"a batch is refused: {remote.why}", self._endpoint.url, hint)

    def _give_up(self, key: str) -> None:
        """Drop a batch that was never created, with its uploaded file."""
        if file_id := self._remote.find_file(f"{key}.jsonl"):
            self._remote.delete(file_id)
        self._forget(key)

    def _forget(self, key: str) -> None:
        """Drop a batch that was not billed."""
        self._journal.forget_batch(key)
        self._ledger.read_again()

    def _asked(self, one: _Waiting) -> BatchRequest:
        attempt = self._ledger.attempt(one.record, one.most, in_batch=True)
        tokens = one.most.prompt_tokens, one.most.completion_tokens
        return BatchRequest(one.record.key, one.record.document_id, *tokens, attempt.usd)

    def _record(self, batch: Batch, asked: BatchRequest, usage: Usage, kind: str) -> Attempt:
        billed = Billed(asked.key, batch.purpose, batch.model, asked.document_id, (), 0)
        attempt = self._ledger.attempt(billed, usage, fate=SURE, kind=kind, in_batch=True)
        return replace(attempt, run=batch.run)

    def _own(self) -> Iterator[tuple[str, Batch]]:
        for key, text in self._journal.batches():
            batch = Batch.of_text(text)
            if batch.url == self._endpoint.url:
                yield key, batch


def _short(key: str) -> int:
    """Return 64 bits of a key: of a million keys, two collide by a chance of 3 in 100 million."""
    return int(key[:16], 16)
