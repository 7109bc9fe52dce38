"""What was answered, and what it cost, kept in the store.

    STORE/answers/<2 hex digits>/<key>.json      a valid answer, written whole and then never again
    STORE/answers/failures/<2 hex digits>/<key>.json   why a request has none: not asked again
    STORE/answers/spent/<run>/attempts.jsonl     attempts: a line before one leaves, one after;
                                                 in S3, where nothing is appended, an object each
    STORE/answers/abilities/<hash>.json          what an endpoint understands

An answer is on the disk before it counts. An attempt that a kill cut off stays as it was written
before it left: it may have been billed, and counts in full.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from decimal import Decimal
from threading import Lock
from typing import Protocol

from graphrag_tasks.core.errors import ArtifactError
from graphrag_tasks.llm.abilities import Abilities
from graphrag_tasks.llm.answers import Answer, Failure, Kind, Usage
from graphrag_tasks.llm.budget import NOTHING, Cost
from graphrag_tasks.storage.files import Files

ANSWERS, SPENT, ABILITIES, FAILURES = "answers", "spent", "abilities", "failures"
_LINES = "attempts.jsonl"
_IN_MEMORY = 1000
"""Answers that are kept without a store: some MB at most."""
SURE, UNSURE = "sure", "unsure"


@dataclass(frozen=True)
class Attempt:
    """A request that was sent.

    Attributes:
        run: The run that sent it.
        purpose: What it was for.
        model: Who was asked.
        document_id: The document that it was about; None: several.
        fate: `sure`, or `unsure` where no answer came that says what it cost.
        kind: What came of it; empty where that is not known.
        prompt_tokens: Of the prompt; the most it may have been where the fate is unsure.
        completion_tokens: Likewise of the answer.
        usd: Likewise its price, as decimal digits; None where it is not known.
    """

    run: str
    purpose: str
    model: str
    document_id: str | None
    fate: str
    kind: str
    prompt_tokens: int
    completion_tokens: int
    usd: str | None

    @property
    def cost(self) -> Cost:
        """What counts against the budget."""
        usd = None if self.usd is None else Decimal(self.usd)
        return Cost(usd, self.prompt_tokens + self.completion_tokens)


class StoreJournal:
    """Answers and attempts of a store; several threads may use it."""

    def __init__(self, store: str) -> None:
        self._folder = Files(store) / ANSWERS
        self._numbers: dict[str, Counter[str]] = {}
        self._lock = Lock()

    def known(self, key: str) -> Answer | Failure | None:
        """Return the answer to a request, or why it got none; None where it was not asked.

        Raises:
            ArtifactError: There is one and it cannot be read: it is not asked for again.
        """
        name = f"{key[:2]}/{key}.json"
        failure = f"{FAILURES}/{name}"
        if not self._folder.exists(name):
            if not self._folder.exists(failure):
                return None
            name = failure
        value = self._folder.read_json(name)
        try:
            if name == failure:
                return Failure(key, Kind(value["kind"]), value["why"])
            return Answer(key, value["text"], Usage(**value["usage"]), value["model"])
        except (KeyError, TypeError, ValueError) as error:
            hint = "Delete the file to ask again"
            raise ArtifactError(
                f"is no answer: {error}", f"{self._folder.uri}/{name}", hint
            ) from error

    def keep(self, answer: Answer) -> None:
        """Write an answer; it is on the disk when this returns."""
        value = {"text": answer.text, "usage": asdict(answer.usage), "model": answer.model}
        self._folder.write_json(f"{answer.key[:2]}/{answer.key}.json", value, durable=True)

    def give_up(self, failure: Failure) -> None:
        """Write why a request has no answer: it is not asked again."""
        value = {"kind": str(failure.kind), "why": failure.why}
        self._folder.write_json(f"{FAILURES}/{failure.key[:2]}/{failure.key}.json", value)

    def sending(self, key: str, attempt: Attempt) -> str:
        """Record that a request is about to leave; return the name of the record."""
        with self._lock:
            if attempt.run not in self._numbers:
                names = self._records(attempt.run)
                self._numbers[attempt.run] = Counter(name.partition("-")[0] for name in names)
            number = self._numbers[attempt.run][key]
            self._numbers[attempt.run][key] += 1
        name = f"{key}-{number}"
        self.sent(name, attempt)
        return name

    def sent(self, name: str, attempt: Attempt) -> None:
        """Record what came of a request, in place of the record from before."""
        folder, value = self._folder / SPENT / attempt.run, asdict(attempt)
        if folder.is_local:
            folder.append_line(_LINES, json.dumps({"name": name, **value}).encode())
        else:
            folder.write_json(f"{name}.json", value)

    def _records(self, run: str) -> dict[str, Attempt]:
        """Return the attempts of a run by the names of their records.

        Raises:
            ArtifactError: A record cannot be read.
        """
        folder, found = self._folder / SPENT / run, {}
        if folder.is_local and folder.exists(_LINES):
            *lines, _ = folder.read_bytes(_LINES).split(b"\n")  # what a kill left of a line
            for number, line in enumerate(lines, 1):
                try:
                    value = json.loads(line)
                    name = value.pop("name")
                    found[name] = Attempt(**value)
                except (ValueError, TypeError, KeyError, AttributeError) as error:
                    hint = "Delete the line, and count what it cost yourself"
                    where = f"{folder.uri}/{_LINES}, line {number}"
                    raise ArtifactError(f"is no attempt: {error}", where, hint) from error
        for name in folder.names():
            if name.endswith(".json"):
                found[name.removesuffix(".json")] = Attempt(**folder.read_json(name))
        return found

    def attempts(self, run: str | None = None) -> Iterator[Attempt]:
        """Yield the attempts of a run, or of all runs.

        Raises:
            ArtifactError: A record cannot be read.
        """
        for one in [run] if run else (self._folder / SPENT).names():
            yield from self._records(one).values()

    def spent(self, run: str) -> Cost:
        """Return what a run spent so far, unsure attempts in full."""
        return sum((one.cost for one in self.attempts(run)), NOTHING)

    def usages(self, run: str) -> dict[str, Usage]:
        """Return the tokens that a run's attempts took, by request; unsure ones are left out."""
        found: dict[str, Usage] = {}
        for name, one in self._records(run).items():
            if one.fate == SURE and one.prompt_tokens:
                key = name.partition("-")[0]
                before = found.get(key, Usage())
                found[key] = Usage(
                    before.prompt_tokens + one.prompt_tokens,
                    before.completion_tokens + one.completion_tokens,
                )
        return found

    def unsure(self, run: str, keys: Collection[str]) -> int:
        """Return how many of a run's attempts were cut off or timed out, of some requests."""
        return sum(
            one.kind == Kind.UNSURE and name.partition("-")[0] in keys
            for name, one in self._records(run).items()
        )

    def abilities(self, endpoint: str) -> Abilities | None:
        """Return what was learned about an endpoint and a model, by a hash of both."""
        folder = self._folder / ABILITIES
        name = f"{endpoint}.json"
        return Abilities(**folder.read_json(name)) if folder.exists(name) else None

    def learn(self, endpoint: str, abilities: Abilities) -> None:
        """Keep what was learned about an endpoint and a model."""
        (self._folder / ABILITIES).write_json(f"{endpoint}.json", abilities.to_json())


class Journal(Protocol):
    """What a client keeps, and where it looks before it asks."""

    def known(self, key: str, /) -> Answer | Failure | None:
        """Return the answer to a request, or why it got none; None where it was not asked."""

    def keep(self, answer: Answer, /) -> None:
        """Keep an answer: it must not be lost once this returns."""

    def give_up(self, failure: Failure, /) -> None:
        """Keep why a request has no answer: it is not asked again."""

    def sending(self, key: str, attempt: Attempt, /) -> str:
        """Record that a request is about to leave; return the name of the record."""

    def sent(self, name: str, attempt: Attempt, /) -> None:
        """Record what came of a request, in place of the record from before."""

    def spent(self, run: str, /) -> Cost:
        """Return what a run spent so far, unsure attempts in full."""

    def usages(self, run: str, /) -> dict[str, Usage]:
        """Return the tokens that a run's attempts took, by request; unsure ones are left out."""

    def unsure(self, run: str, keys: Collection[str], /) -> int:
        """Return how many of a run's attempts were cut off or timed out, of some requests."""

    def abilities(self, endpoint: str, /) -> Abilities | None:
        """Return what was learned about an endpoint and a model, by a hash of both."""

    def learn(self, endpoint: str, abilities: Abilities, /) -> None:
        """Keep what was learned about an endpoint and a model."""


class MemoryJournal:
    """Keeps the last answers in memory, and no record: for readers, who may not write the store."""

    def __init__(self) -> None:
        self._answers: dict[str, Answer | Failure] = {}
        self._lock = Lock()

    def known(self, key: str) -> Answer | Failure | None:
        """Return the answer to a request, or why it got none; None where it was not asked."""
        return self._answers.get(key)

    def give_up(self, failure: Failure) -> None:
        """Keep why a request has no answer."""
        self.keep(failure)

    def keep(self, answer: Answer | Failure) -> None:
        """Keep an answer, in place of the oldest where there are too many."""
        with self._lock:
            self._answers[answer.key] = answer
            if len(self._answers) > _IN_MEMORY:
                del self._answers[next(iter(self._answers))]

    def sending(self, _key: str, _attempt: Attempt) -> str:
        """Record nothing."""
        return ""

    def sent(self, _name: str, _attempt: Attempt) -> None:
        """Record nothing."""

    def spent(self, _run: str) -> Cost:
        """Return that nothing is known to be spent."""
        return NOTHING

    def usages(self, _run: str) -> dict[str, Usage]:
        """Return nothing."""
        return {}

    def unsure(self, _run: str, _keys: Collection[str]) -> int:
        """Return 0."""
        return 0

    def abilities(self, _endpoint: str) -> None:
        """Return None."""

    def learn(self, _endpoint: str, _abilities: Abilities) -> None:
        """Keep nothing."""
