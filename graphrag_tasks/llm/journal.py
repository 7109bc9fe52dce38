"""What was answered, and what it cost, kept in the store.

    STORE/answers/log/<number>.jsonl       what a process wrote since its last part
    STORE/answers/parts/<day>….parquet     answers, and why requests have none; what was sent
    STORE/answers/batches/<key>.json       batches
    STORE/answers/abilities/<hash>.json    what an endpoint understands

An answer is on the disk before it counts. An attempt that a kill cut off stays as it was written
before it left: it may have been billed, and counts in full.

In S3, where nothing is appended, the log is in a folder for temporary files on the machine that
asks. A part is written before answers are given out, when there are many, and once a minute.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterator
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from threading import Lock, RLock
from typing import Protocol

from graphrag_tasks.core.errors import ArtifactError
from graphrag_tasks.llm.abilities import Abilities
from graphrag_tasks.llm.answers import Answer, Failure, Kind, Usage
from graphrag_tasks.llm.aside import Aside, logs_elsewhere, machine_of, of_others
from graphrag_tasks.llm.batch_files import INTENT, SUBMITTED, BatchFiles
from graphrag_tasks.llm.budget import NOTHING, Cost
from graphrag_tasks.llm.log import Log, LogReader, logs
from graphrag_tasks.llm.parts import Parts, spent_by, time_of
from graphrag_tasks.llm.records import (
    SURE,
    Attempt,
    Line,
    Lines,
    Record,
    line_of,
    line_of_records,
)
from graphrag_tasks.storage.files import Files

ANSWERS, ABILITIES, LOG, PARTS = "answers", "abilities", "log", "parts"
_IN_MEMORY = 1000
"""Answers that are kept without a store: some MB at most."""
IN_A_PART = 4096
"""Answers, or records: some 4 MB in memory, and 245 parts of a million requests."""
_LONGEST = 60.0
"""Seconds that an answer waits for its part where the log is not in the store."""


class StoreJournal:
    """Answers and attempts of a store; several threads may use it, and several processes.

    Args:
        store: Folder or URI of the store.
        keep_days: Days after which answers that nobody used are removed; 0: never.
    """

    def __init__(self, store: str, keep_days: float = 0) -> None:
        self._folder = Files(store) / ANSWERS
        self._keep_days = keep_days
        self._batches = BatchFiles(self._folder)
        self._lock = RLock()
        self._others: dict[Path, LogReader] = {}
        self._began = 0.0
        self._of_batches: dict[str, tuple[str, Cost]] = {}

    @cached_property
    def _parts(self) -> Parts:
        return Parts(self._folder / PARTS)

    @cached_property
    def _logs(self) -> Path:
        """Where the logs of this machine are."""
        if self._folder.is_local:
            return Path((self._folder / LOG).path())
        return logs_elsewhere(self._folder.uri)

    @cached_property
    def _log(self) -> Log:
        self._parts.refresh()
        return Log(self._logs, self._parts.logs.__contains__)

    @cached_property
    def _aside(self) -> Aside | None:
        if self._folder.is_local:
            return None
        return Aside(self._folder, f"{machine_of(self._logs)}-{self._log.path.stem}")

    def known(self, keys: Collection[str], *, renew: bool = False) -> dict[str, Answer | Failure]:
        """Return the answers to requests, or why they got none; others were not asked.

        With `renew`, answers that are to be removed before long are kept anew: they are used.

        Raises:
            ArtifactError: One cannot be read: it is not asked for again.
        """
        with self._lock:
            in_logs = Lines()
            for lines in (reader.lines for reader in self._read()):
                for key in lines.answers.keys() & keys:
                    in_logs.keep(lines.answers[key])
            in_parts = self._find([key for key in keys if key not in in_logs.answers])
        if renew and self._keep_days:
            old = datetime.now(UTC) - timedelta(days=self._keep_days / 2)
            self._keep([answer for answer, part in in_parts.values() if time_of(part) < old])
        return in_logs.answers | {key: answer for key, (answer, _) in in_parts.items()}

    def keep(self, answer: Answer) -> None:
        """Write an answer; it is on the disk when this returns."""
        self._keep([answer])

    def _keep(self, results: Collection[Answer | Failure]) -> None:
        if results:
            with self._lock:
                positions = [self._append(line_of(answer)) for answer in results]
            self._log.wait(positions[-1])

    def give_up(self, failure: Failure) -> None:
        """Write why a request has no answer: it is not asked again."""
        self._append(line_of(failure))

    def sending(self, key: str, attempt: Attempt) -> Record:
        """Record that a request is about to leave; return the record."""
        record, run = Record(key, attempt), attempt.run
        with self._lock:
            if self._aside is not None:
                log = self._log
                self._aside.cover(
                    run, attempt.cost, lambda: log.lines.spent.get(run, NOTHING), self._to_part
                )
            self._append(line_of_records([record], []))
        return record

    def sent(self, record: Record, attempt: Attempt) -> None:
        """Record what came of a request, in place of the record from before."""
        self._append(line_of_records([Record(record.key, attempt)], [record]))

    def settle(self, batch: str, records: Collection[Record]) -> None:
        """Record what came of a batch: all of it, and once."""
        with self._lock:
            if batch not in self._settled(self._read()):
                self._log.wait(self._append(line_of_records([*records], [], batch)))

    def flush(self) -> None:
        """Wait until all is in the store: what was kept before may be used then."""
        with self._lock:
            if self._aside is not None and "_log" in self.__dict__:
                self._to_part()
                self._aside.clear()

    def _append(self, line: Line) -> int:
        with self._lock:
            now = time.monotonic()
            if not self._log.lines:
                self._began = now
            position = self._log.append(line)
            lines = self._log.lines
            is_late = self._aside is not None and now - self._began > _LONGEST
            if is_late or max(len(lines.answers), len(lines.attempts)) >= IN_A_PART:
                self._to_part()
            return position

    def _to_part(self) -> None:
        with self._log.lock:
            if self._log.lines:
                self._parts.write(self._log.lines, [self._log.name])
                self._log.empty()

    def _read(self) -> list[LogReader | Log]:
        """Return the logs of this machine that no part has, as they are now."""
        own = self.__dict__.get("_log")
        for path in logs(self._logs):
            if own is None or path != own.path:
                reader = self._others.setdefault(path, LogReader(path))
                if not reader.read():
                    del self._others[path]
        self._parts.refresh()  # after the logs: what leaves a log is in a part by then
        kept = self._parts.logs
        readers = [*self._others.values(), *([own] if own is not None else [])]
        return [one for one in readers if one.name not in kept]

    def _find(self, keys: Collection[str]) -> dict[str, tuple[Answer | Failure, str]]:
        try:
            return self._parts.find(keys)
        except ArtifactError:
            before = self._parts.names
            self._parts.refresh()
            if self._parts.names == before:
                raise
            return self._parts.find(keys)  # a part was replaced meanwhile

    def _settled(self, readers: list[LogReader | Log]) -> set[str]:
        """Return the batches whose costs are on record."""
        in_logs = {batch for reader in readers for batch in reader.lines.batches}
        return in_logs.union(*(part.batches for part in self._parts.active))

    def _under_way(self, readers: list[LogReader | Log]) -> Iterator[Record]:
        """Yield the requests of batches that may be billed and are not on record."""
        settled = self._settled(readers)
        for key, batch in self._batches.all():
            if batch.status in (INTENT, SUBMITTED) and key not in settled:
                yield from map(batch.set_aside, batch.requests)

    def _aside_for_batches(self, settled: Collection[str]) -> dict[str, Cost]:
        """Return what is set aside by run for batches, each of which is read once."""
        names = self._batches.names()
        self._of_batches = {key: one for key, one in self._of_batches.items() if key in names}
        if not names <= settled | self._of_batches.keys():
            for key, batch in self._batches.all():
                records = map(batch.set_aside, batch.requests)
                cost = sum((one.attempt.cost for one in records), NOTHING)
                is_under_way = batch.status in (INTENT, SUBMITTED)
                self._of_batches[key] = batch.run, cost if is_under_way else NOTHING
        total: dict[str, Cost] = {}
        for key, (run, cost) in self._of_batches.items():
            if key not in settled:
                total[run] = total.get(run, NOTHING) + cost
        return total

    def attempts(self, run: str | None = None) -> Iterator[tuple[Attempt, int]]:
        """Yield the attempts of a run, or of all runs, with how often each counts.

        Where an attempt began in an older part than it ended, its first record is counted there,
        and here once less.

        Raises:
            ArtifactError: A record cannot be read.
        """
        with self._lock:
            readers = self._read()
            found = [item for reader in readers for item in reader.lines.attempts.items()]
            found += [(one, 1) for one in self._under_way(readers)]
            names = self._parts.names
        for record, count in found:
            if run in (None, record.attempt.run):
                yield record.attempt, count
        for name in names:
            for record, count in self._parts.records(name):
                if run in (None, record.attempt.run):
                    yield record.attempt, count

    def spent(self, run: str | None, since: datetime | None = None) -> Cost:
        """Return what a run spent so far, or all runs did; unsure attempts count in full.

        With `since`, only what parts written from then on have, and what is in none yet.

        Raises:
            ArtifactError: A record cannot be read.
        """
        with self._lock:
            readers = self._read()
            total = self._parts.spent(run, since)
            for reader in readers:
                total += spent_by(run, reader.lines.spent)
            total += spent_by(run, self._aside_for_batches(self._settled(readers)))
            if not self._folder.is_local:
                total += of_others(self._folder, machine_of(self._logs), run)
        return total

    def usages(self, run: str, keys: Collection[str]) -> dict[str, Usage]:
        """Return the tokens that a run's attempts took, by request; unsure ones are left out."""
        prompt, completion = Counter[str](), Counter[str]()
        for (key, attempt), count in self._records(run, keys):
            if attempt.fate == SURE and attempt.prompt_tokens:
                prompt[key] += count * attempt.prompt_tokens
                completion[key] += count * attempt.completion_tokens
        return {key: Usage(prompt[key], completion[key]) for key in prompt if prompt[key]}

    def unsure(self, run: str, keys: Collection[str]) -> int:
        """Return how many of a run's attempts were cut off or timed out, of some requests."""
        records = self._records(run, keys)
        return sum(count for (_, attempt), count in records if attempt.kind == Kind.UNSURE)

    def _records(self, run: str, keys: Collection[str]) -> list[tuple[Record, int]]:
        """Return the records of a run for some requests, and how often each counts."""
        wanted = set(keys)
        with self._lock:
            records = [
                item
                for reader in self._read()
                for item in reader.lines.attempts.items()
                if item[0].key in wanted and item[0].attempt.run == run
            ]
            return records + list(self._parts.records_of(run, wanted))

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

    def known(
        self, keys: Collection[str], /, *, renew: bool = False
    ) -> dict[str, Answer | Failure]:
        """Return the answers to requests, or why they got none; others were not asked."""

    def keep(self, answer: Answer, /) -> None:
        """Keep an answer: it must not be lost once this returns."""

    def give_up(self, failure: Failure, /) -> None:
        """Keep why a request has no answer: it is not asked again."""

    def sending(self, key: str, attempt: Attempt, /) -> Record:
        """Record that a request is about to leave; return the record."""

    def sent(self, record: Record, attempt: Attempt, /) -> None:
        """Record what came of a request, in place of the record from before."""

    def settle(self, batch: str, records: Collection[Record], /) -> None:
        """Record what came of a batch: all of it, and once."""

    def flush(self) -> None:
        """Wait until all is in the store: what was kept before may be used then."""

    def spent(self, run: str | None, since: datetime | None = None, /) -> Cost:
        """Return what a run spent so far, or all runs since a time; unsure attempts in full."""

    def usages(self, run: str, keys: Collection[str], /) -> dict[str, Usage]:
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

    def known(self, keys: Collection[str], *, renew: bool = False) -> dict[str, Answer | Failure]:  # noqa: ARG002 - of the protocol
        """Return the answers to requests, or why they got none; others were not asked."""
        with self._lock:
            return {key: self._answers[key] for key in keys if key in self._answers}

    def give_up(self, failure: Failure) -> None:
        """Keep why a request has no answer."""
        self.keep(failure)

    def keep(self, answer: Answer | Failure) -> None:
        """Keep an answer, in place of the oldest where there are too many."""
        with self._lock:
            self._answers[answer.key] = answer
            if len(self._answers) > _IN_MEMORY:
                del self._answers[next(iter(self._answers))]

    def sending(self, key: str, attempt: Attempt) -> Record:
        """Record nothing."""
        return Record(key, attempt)

    def sent(self, _record: Record, _attempt: Attempt) -> None:
        """Record nothing."""

    def settle(self, _batch: str, _records: Collection[Record]) -> None:
        """Record nothing."""

    def flush(self) -> None:
        """Do nothing."""

    def spent(self, _run: str | None, _since: datetime | None = None) -> Cost:
        """Return that nothing is known to be spent."""
        return NOTHING

    def usages(self, _run: str, _keys: Collection[str]) -> dict[str, Usage]:
        """Return nothing."""
        return {}

    def unsure(self, _run: str, _keys: Collection[str]) -> int:
        """Return 0."""
        return 0

    def abilities(self, _endpoint: str) -> None:
        """Return None."""

    def learn(self, _endpoint: str, _abilities: Abilities) -> None:
        """Keep nothing."""
