"""Journal of requests, answers and spending: one SQLite file for all threads and processes.

    STORE/answers/answers.sqlite    (or `llm.answers_file`)

An attempt is recorded at its worst-case cost before the request is sent, in one transaction with the check of the caps,
so processes together never exceed a cap. An answer is on disk, in one transaction with its cost, before it is used. An
interrupted attempt keeps its worst case: it may have been billed.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from decimal import ROUND_CEILING, Decimal
from itertools import islice
from pathlib import Path
from threading import RLock
from typing import Any

import tenacity

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.errors import ArtifactError, ConfigError, TransientError
from graphrag_tasks.llm.request import Answer, Cost, Failure, Kind, Usage
from graphrag_tasks.storage.files import Files

_MEMORY = ":memory:"
_PATIENCE = 60.0  # Seconds that a transaction waits for other processes, whose transactions take milliseconds.

_TABLES = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, kind TEXT, text TEXT, model TEXT,
    prompt_tokens INTEGER, completion_tokens INTEGER, cached_tokens INTEGER, kept_at REAL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS attempts (
    id INTEGER PRIMARY KEY, key TEXT, run TEXT, purpose TEXT, model TEXT, document_id TEXT,
    fate TEXT, kind TEXT, prompt_tokens INTEGER, completion_tokens INTEGER, picodollars INTEGER,
    month TEXT, batch TEXT
);
CREATE INDEX IF NOT EXISTS attempts_by_key ON attempts (key);
CREATE INDEX IF NOT EXISTS attempts_by_batch ON attempts (batch) WHERE batch IS NOT NULL;
CREATE TABLE IF NOT EXISTS spent (
    run TEXT, month TEXT, picodollars INTEGER, tokens INTEGER, PRIMARY KEY (run, month)
);
CREATE TABLE IF NOT EXISTS batches (key TEXT PRIMARY KEY, batch TEXT);
"""


def answers_file(config: LlmConfig, store: str) -> Path:
    """Return the SQLite file with a store's answers."""
    if config.answers_file:
        return Path(config.answers_file)
    folder = Files(store) / "answers"
    if not folder.is_local:
        hint = "Name a file on a volume that all who ask the model share"
        raise ConfigError(f"answers cannot be kept in {store}", "llm.answers_file", hint)
    return Path(folder.path("answers.sqlite"))


class AnswersFile:
    """The open file; several threads and processes may use it.

    Args:
        file: Created if absent. None: tables in memory.

    Attributes:
        file: Likewise.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file
        self._lock = RLock()
        self._connection: sqlite3.Connection | None = None

    # The lock to make it a WAL file is one for which SQLite does not wait by itself.
    @tenacity.retry(
        retry=tenacity.retry_if_exception(lambda error: _is_busy(error)),
        stop=tenacity.stop_after_delay(_PATIENCE), wait=tenacity.wait_random(0.01, 0.1),
        reraise=True,
    )  # fmt: skip
    def _open(self) -> sqlite3.Connection:
        if self.file is not None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.file or _MEMORY, _PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.executescript(_TABLES)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        """Close the file; the next use reopens it."""
        with self._lock:
            if self._connection is not None and self.file is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction on the file for a block."""
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = self._open()
                if self._connection.in_transaction:  # what `check` reads is read within its own
                    yield self._connection
                    return
                with self._connection as connection:
                    connection.execute("BEGIN IMMEDIATE")
                    yield connection
            except (sqlite3.OperationalError, OSError) as error:
                hint = "See that the disk has room and the folder can be written, and run again"
                raise TransientError(f"answers: {error}", str(self.file), hint) from error
            except sqlite3.DatabaseError as error:
                hint = "Put back a copy of it, or delete it: all is asked again, nothing counted"
                raise ArtifactError(f"answers: {error}", str(self.file), hint) from error


def _is_busy(error: BaseException) -> bool:
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY


SURE, UNSURE = "sure", "unsure"

_IN_MEMORY = 1000  # Most answers kept in memory without a store: a few MB.
_PICO = 10**12  # Picodollars per dollar: money is an integer, so sums are exact; a token costs 10,000 or more.
_AT_ONCE = 500  # Keys per statement: the oldest SQLite allows 999 parameters.
_DAY = 86_400
KEEP_DAYS = 90  # After which unused answers are removed.


@dataclass(frozen=True)
class Attempt:
    """A request that was sent.

    Attributes:
        key: The request's key.
        run: The run that sent it.
        purpose: Its purpose.
        model: Model asked.
        document_id: The document of its text; None: several.
        fate: `sure`, or `unsure` where no response reports the cost.
        kind: Its result; empty where unknown.
        prompt_tokens: Of the prompt; an upper bound where the fate is unsure.
        completion_tokens: Of the answer, likewise.
        usd: Price as decimal digits, likewise; None where unknown.
    """

    key: str
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
    def tokens(self) -> int:
        """Tokens of prompt and answer."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def picodollars(self) -> int | None:
        """The price, rounded up; None where unknown."""
        return None if self.usd is None else _picodollars(self.usd)


def _picodollars(usd: str) -> int:
    return int((Decimal(usd) * _PICO).to_integral_value(ROUND_CEILING))


class Journal(AnswersFile):
    """Answers, attempts and batches of a store; several threads and processes may use it.

    Args:
        file: Created if absent. None: the last thousand answers, and sums of what was spent, are kept in memory, for
            readers without write access to the store.
    """

    def known(self, keys: Collection[str], *, renew: bool = False) -> dict[str, Answer | Failure]:
        """Return the known answers or failures of requests by key.

        With `renew`, they count as used today, so they are removed later.
        """
        found = dict[str, Answer | Failure]()
        now = time.time()
        with self.transaction() as connection:
            for some in _groups(keys):
                within = f"key IN ({_marks(some)})"
                rows = connection.execute(
                    "SELECT key, kind, text, model, prompt_tokens, completion_tokens, cached_tokens"  # noqa: S608
                    f" FROM answers WHERE {within}",
                    some,
                )
                found |= {one.key: one for one in map(_result, rows)}
                if renew:
                    old = now - KEEP_DAYS * _DAY / 2
                    connection.execute(
                        f"UPDATE answers SET kept_at = ? WHERE {within} AND kept_at < ?",  # noqa: S608
                        [now, *some, old],
                    )
        return found

    def keep(self, *results: Answer | Failure) -> None:
        """Store answers and failures; the first answer to a request stays."""
        with self.transaction() as connection:
            self._keep(connection, results)

    def _keep(self, connection: sqlite3.Connection, results: Iterable[Answer | Failure]) -> None:
        now = time.time()
        connection.executemany(
            "INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET"
            " kind = excluded.kind, text = excluded.text, model = excluded.model,"
            " prompt_tokens = excluded.prompt_tokens, kept_at = excluded.kept_at,"
            " completion_tokens = excluded.completion_tokens,"
            " cached_tokens = excluded.cached_tokens WHERE answers.kind != 'answered'",
            ((*_row(one), now) for one in results),
        )
        if self.file is None:
            connection.execute(
                "DELETE FROM answers WHERE key IN (SELECT key FROM answers ORDER BY kept_at DESC LIMIT -1 OFFSET ?)",
                (_IN_MEMORY,),
            )

    def sending(self, attempt: Attempt, check: Callable[[], None] = lambda: None) -> int:
        """Record a request that is about to be sent, at its worst case; return the record's number.

        `check` is called in the same transaction; if it raises, nothing is recorded.
        """
        with self.transaction() as connection:
            number = _record(connection, attempt)
            check()
        return number

    def sent(self, number: int, attempt: Attempt, answer: Answer | None = None) -> None:
        """Replace a request's worst case by its result, and store its answer."""
        with self.transaction() as connection:
            if answer is not None:
                self._keep(connection, [answer])
            (month,) = _take_back(connection, "id = ?", number)
            _record(connection, attempt, month, number=number)
            if self.file is None:  # the sum is enough for a reader
                connection.execute("DELETE FROM attempts WHERE id = ?", (number,))

    def begin_batch(self, key: str, batch: str, attempts: Iterable[Attempt], check: Callable[[], None]) -> None:
        """Record a batch that is about to be created, with the worst case of each request.

        `check` is as in `sending`.
        """
        with self.transaction() as connection:
            connection.execute("REPLACE INTO batches VALUES (?, ?)", (key, batch))
            for attempt in attempts:
                _record(connection, attempt, batch=key)
            check()

    def settle(self, key: str, attempts: Iterable[Attempt], answers: Iterable[Answer]) -> None:
        """Replace a batch's worst case by its results; repeating it has no further effect."""
        with self.transaction() as connection:
            self._keep(connection, answers)
            months = _take_back(connection, "batch = ?", key)
            for attempt in attempts:
                _record(connection, attempt, months[0] if months else None, batch=key)

    def forget_batch(self, key: str) -> None:
        """Drop a batch that was not created, so that nothing is billed."""
        with self.transaction() as connection:
            _take_back(connection, "batch = ?", key)
            connection.execute("DELETE FROM batches WHERE key = ?", (key,))

    def batches(self) -> list[tuple[str, str]]:
        """Return the batches with their keys."""
        with self.transaction() as connection:
            return connection.execute("SELECT key, batch FROM batches ORDER BY key").fetchall()

    def write_batch(self, key: str, batch: str | None) -> None:
        """Record the state of a batch; None removes it."""
        with self.transaction() as connection:
            connection.execute("DELETE FROM batches WHERE key = ?", (key,))
            if batch is not None:
                connection.execute("INSERT INTO batches VALUES (?, ?)", (key, batch))

    def spent(self, run: str | None = None, month: str | None = None) -> Cost:
        """Return what was spent, with unsure attempts in full; optionally of one run or month."""
        with self.transaction() as connection:
            pico, tokens = connection.execute(
                "SELECT coalesce(sum(picodollars), 0), coalesce(sum(tokens), 0) FROM spent"
                " WHERE run = coalesce(?, run) AND month = coalesce(?, month)",
                (run, month),
            ).fetchone()
        return Cost(Decimal(pico) / _PICO, tokens)

    def sums(self, by: Sequence[str], run: str | None = None) -> list[dict[str, Any]]:
        """Return counts, tokens and money of attempts by `run`, `purpose`, `model`, `document`.

        `usd` and `unsure_usd` are None where the price of an attempt is unknown.
        """
        sure, unsure = f"fate = '{SURE}'", f"fate = '{UNSURE}'"
        columns = {
            "requests": "count(*)",
            "answered": f"count(*) FILTER (WHERE {sure} AND kind = '{Kind.ANSWERED}')",
            "prompt_tokens": f"coalesce(sum(prompt_tokens) FILTER (WHERE {sure}), 0)",
            "completion_tokens": f"coalesce(sum(completion_tokens) FILTER (WHERE {sure}), 0)",
            "usd": _money(sure),
            "unsure": f"count(*) FILTER (WHERE {unsure})",
            "unsure_usd": _money(unsure),
        }
        named = {"document": "coalesce(document_id, 'several') AS document"}
        selected = ", ".join([*(named.get(one, one) for one in by), *columns.values()])
        group = f" GROUP BY {', '.join(by)} ORDER BY {', '.join(by)}" if by else ""
        query = f"SELECT {selected} FROM attempts WHERE run = coalesce(?, run){group}"  # noqa: S608
        with self.transaction() as connection:
            rows = connection.execute(query, (run,)).fetchall()
        found = [dict(zip([*by, *columns], row, strict=True)) for row in rows]
        for one in found:
            for name in ("usd", "unsure_usd"):
                one[name] = None if one[name] is None else Decimal(one[name]) / _PICO
        return found

    def remove(self, before: datetime, used: Iterable[str], *, dry_run: bool = False) -> int:
        """Remove unused answers stored before a time; return their number.

        Spending records stay.

        Args:
            before: Answers stored or renewed later stay.
            used: Keys of requests in use.
            dry_run: Only count them.
        """
        with self.transaction() as connection:
            connection.execute("CREATE TEMP TABLE used (key TEXT PRIMARY KEY) WITHOUT ROWID")
            connection.executemany("INSERT OR IGNORE INTO used VALUES (?)", ((key,) for key in used))
            unused = "FROM answers WHERE kept_at < ? AND key NOT IN (SELECT key FROM used)"
            told = (before.timestamp(),)
            (count,) = connection.execute(f"SELECT count(*) {unused}", told).fetchone()
            if not dry_run:
                connection.execute(f"DELETE {unused}", told)
            connection.execute("DROP TABLE used")
        return int(count)


def month_now() -> str:
    """Return the current month in UTC, as used by `spent`."""
    return f"{datetime.now(UTC):%Y-%m}"


def _record(
    connection: sqlite3.Connection,
    attempt: Attempt,
    month: str | None = None,
    *,
    batch: str | None = None,
    number: int | None = None,
) -> int:
    """Record an attempt and add it to the sums; return its number."""
    month = month or month_now()
    *columns, _ = astuple(attempt)
    row = (number, *columns, attempt.picodollars, month, batch)
    cursor = connection.execute(f"INSERT INTO attempts VALUES ({_marks(row)})", row)  # noqa: S608
    _count(connection, attempt.run, month, attempt.picodollars or 0, attempt.tokens)
    return int(cursor.lastrowid or 0)


def _take_back(connection: sqlite3.Connection, which: str, value: object) -> list[str]:
    """Remove attempts and subtract them from the sums; return their months."""
    rows = connection.execute(
        f"DELETE FROM attempts WHERE {which}"  # noqa: S608
        " RETURNING run, month, coalesce(picodollars, 0), prompt_tokens + completion_tokens",
        (value,),
    ).fetchall()
    for run, month, picodollars, tokens in rows:
        _count(connection, run, month, -picodollars, -tokens)
    return [month for _, month, _, _ in rows]


def _count(connection: sqlite3.Connection, run: str, month: str, picodollars: int, tokens: int) -> None:
    connection.execute(
        "INSERT INTO spent VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
        " picodollars = picodollars + excluded.picodollars, tokens = tokens + excluded.tokens",
        (run, month, picodollars, tokens),
    )


def _money(condition: str) -> str:
    """Return SQL for the sum of prices under a condition; NULL where a price is unknown."""
    unknown = f"count(*) FILTER (WHERE {condition} AND picodollars IS NULL)"
    known = f"coalesce(sum(picodollars) FILTER (WHERE {condition}), 0)"
    return f"CASE WHEN {unknown} THEN NULL ELSE {known} END"


def _groups(keys: Iterable[str]) -> Iterator[list[str]]:
    """Yield keys in groups that fit into one statement."""
    waiting = iter(keys)
    while some := list(islice(waiting, _AT_ONCE)):
        yield some


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _row(result: Answer | Failure) -> tuple[object, ...]:
    key = result.key
    if isinstance(result, Answer):
        return key, str(Kind.ANSWERED), result.text, result.model, *astuple(result.usage)
    return key, str(result.kind), result.why, None, None, None, None


def _result(row: tuple[Any, ...]) -> Answer | Failure:
    key, kind, text, model, *usage = row
    if kind == Kind.ANSWERED:
        return Answer(key, text, Usage(*usage), model)
    return Failure(key, Kind(kind), text)
