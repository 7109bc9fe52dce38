"""The SQLite file of a store's answers: where it is, its tables, and transactions on it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

import tenacity

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.errors import ArtifactError, ConfigError, TransientError
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
CREATE TABLE IF NOT EXISTS abilities (endpoint TEXT PRIMARY KEY, abilities TEXT);
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
