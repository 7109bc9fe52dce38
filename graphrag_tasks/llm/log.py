"""Logs: lines that one process appends and others read.

    FOLDER/<number>.jsonl     the first line names what was begun with it; then one line for each
                              answer and for each change of what was sent

What holds:
  * One process writes to a log; the system frees it when the process ends, however that ends, and
    the next one takes it with all it holds.
  * A line is there as a whole or not at all: what a kill or a full disk left is cut off.
  * A line that was waited for is on the disk. Threads that wait together wait for one write.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import secrets
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, RLock

from graphrag_tasks.core.errors import ArtifactError
from graphrag_tasks.llm.records import Line, Lines
from graphrag_tasks.storage.files import changing, end_of_lines, to_disk

_SUFFIX = ".jsonl"
_LOG = "log"
_TRIES = 5
"""Readings of a log that its writer empties at the same time; each takes it some milliseconds."""


class Log:
    """The log of this process; several threads may use it.

    Args:
        folder: Of logs.
        is_kept: Returns whether what was begun under a name is kept elsewhere, as a kill may have
            left it here.

    Raises:
        ArtifactError: What an earlier process left cannot be read.
        TransientError: The disk refuses.
    """

    def __init__(self, folder: Path, is_kept: Callable[[str], bool]) -> None:
        self.lock = RLock()
        self._syncing = Lock()
        self._written = self._synced = 0
        with changing(str(folder)):
            folder.mkdir(parents=True, exist_ok=True)
            self._file, self.path = _first_free(folder)
            to_disk(folder)  # with its name
        weakref.finalize(self, os.close, self._file)
        with os.fdopen(os.dup(self._file), "r+b") as file:
            os.ftruncate(self._file, end_of_lines(file))
        found = read(self.path)
        if found is None or is_kept(found.name):
            self.empty()
        else:
            self.name, self.lines = found.name, found.lines

    def append(self, line: Line) -> int:
        """Write a line; return what to give to `wait`.

        Raises:
            TransientError: There is no room, or the storage refuses.
        """
        data = json.dumps(line, ensure_ascii=False).encode() + b"\n"
        with self.lock:
            self._write(data)
            self.lines.add(line)
            return self._written

    def wait(self, position: int) -> None:
        """Wait until what was written up to a position is on the disk."""
        with self._syncing:
            if self._synced >= position:
                return
            reached = self._written
            with changing(str(self.path)):
                os.fsync(self._file)
            self._synced = reached

    def empty(self) -> None:
        """Begin anew, once all that is here is kept elsewhere."""
        with self.lock, changing(str(self.path)):
            os.ftruncate(self._file, 0)
            self.name, self.lines = secrets.token_hex(8), Lines()
            self._write(json.dumps({_LOG: self.name}).encode() + b"\n")

    def _write(self, data: bytes) -> None:
        with changing(str(self.path)):
            end = os.lseek(self._file, 0, os.SEEK_END)
            try:
                if os.write(self._file, data) != len(data):
                    raise OSError(errno.ENOSPC, "no room for a whole line", str(self.path))
            except OSError:
                os.ftruncate(self._file, end)
                raise
            self._written += len(data)


@dataclass
class LogReader:
    """Reads the log of another process, or of one that is gone, as far as it is whole.

    Attributes:
        path: The log.
        name: What was begun with it.
        lines: What was read so far.
    """

    path: Path
    name: str = ""
    lines: Lines = field(default_factory=Lines)
    _end: int = 0
    _count: int = 0

    def read(self) -> bool:
        """Read what is new; return whether there is a log.

        Raises:
            ArtifactError: A line is none of a log.
        """
        for _ in range(_TRIES):
            before = _name(self.path)
            if before is None:
                return False
            if before != self.name:
                self.name, self.lines, self._end, self._count = before, Lines(), 0, 0
            data = _bytes(self.path, self._end)
            if _name(self.path) == before:
                self._take(data[: data.rfind(b"\n") + 1])
                return True
        raise ArtifactError("changes while it is read", str(self.path), "Run again")

    def _take(self, data: bytes) -> None:
        for text in data.splitlines():
            self._count += 1
            try:
                line = json.loads(text)
                if _LOG not in line:
                    self.lines.add(line)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                self.name = ""  # it is read from its begin when it was mended
                hint = "Delete the line: what it kept is asked again, and not counted"
                where = f"{self.path}, line {self._count}"
                raise ArtifactError(f"is no line of a log: {error}", where, hint) from error
        self._end += len(data)


def read(path: Path) -> LogReader | None:
    """Return a log, or None where there is none yet."""
    reader = LogReader(path)
    return reader if reader.read() else None


def logs(folder: Path) -> list[Path]:
    """Return the logs of a folder."""
    return sorted(folder.glob(f"*{_SUFFIX}"))


def _first_free(folder: Path) -> tuple[int, Path]:
    """Open the first log that no process writes to."""
    number = 0
    while True:
        path = folder / f"{number}{_SUFFIX}"
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            number += 1
        except OSError:
            os.close(file)
            raise
        else:
            return file, path


def _bytes(path: Path, start: int) -> bytes:
    with path.open("rb") as file:
        file.seek(start)
        return file.read()


def _name(path: Path) -> str | None:
    """Return what a log was begun with, or None where it is empty or absent.

    Raises:
        ArtifactError: It cannot be read, or its first line is another.
    """
    try:
        with path.open("rb") as file:
            first = file.readline()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ArtifactError(f"cannot be read: {error.strerror}", str(path)) from error
    if not first.endswith(b"\n"):
        return None
    try:
        return str(json.loads(first)[_LOG])
    except (ValueError, TypeError, KeyError) as error:
        hint = "Delete the file: what it kept is asked again, and not counted"
        raise ArtifactError(f"is no log: {error}", str(path), hint) from error
