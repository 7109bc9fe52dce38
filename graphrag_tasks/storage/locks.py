"""One run at a time on a store (a lock on the local disk, a lease on S3), and one writer of a user's file.

The local lock is the operating system's and ends with its process. S3 has no locks: a lease is an object that names the
holder and an expiry time. The holder renews it, and writes it only if its version is the last one seen, so that two
cannot hold it at once. The lease of a killed holder expires after `LEASE_SECONDS`. Clocks of machines that share a
store may differ by `CLOCK_SECONDS`.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from filelock import FileLock, Timeout

from graphrag_tasks.core.errors import ArtifactError, ConfigError, TransientError
from graphrag_tasks.storage import ConflictError, is_s3, version, write_if
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.files import WRITING, Files, changing

log = logging.getLogger(__name__)

LEASE_FILE = "lease.json"
LEASE_SECONDS = 300
CLOCK_SECONDS = 30
"""A lease is renewed each minute, so four renewals may fail before it expires; NTP clocks differ far less. Chosen."""
_LOCK_FILE = ".lock"
_RENEW_SECONDS = 60
_POLL_SECONDS = 5  # Interval of renewals, and of attempts while another run holds the store.
_OVER = datetime.min.replace(tzinfo=UTC)

_held: dict[str, Lease] = {}


def sole_run(store: Folder, *, wait: bool = False) -> AbstractContextManager[None]:
    """Hold a store during the block; reentrant within a process.

    Only stores on the local disk or S3 are locked. With `wait`, wait for another run.
    """
    if is_s3(store.uri):
        return _leased(store, wait=wait)
    return _locked(store, wait=wait) if store.is_local else nullcontext()


@contextmanager
def _locked(store: Folder, *, wait: bool) -> Iterator[None]:
    path = Path(store.path(_LOCK_FILE))
    lock = FileLock(path, thread_local=False, is_singleton=True)
    try:
        with changing(store.uri):
            path.parent.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=-1 if wait else 0)
    except Timeout as error:
        holder = path.read_text("utf-8", "replace").strip() or "another process"
        raise _refusal(store.uri, holder) from error
    try:
        with suppress(OSError):  # a full disk must not keep `gc` from making room
            path.write_text(f"{_own_name()}\n", "utf-8")
        yield
    finally:
        lock.release()


@contextmanager
def _leased(store: Folder, *, wait: bool) -> Iterator[None]:
    lease = _held.get(store.uri)
    if lease is not None:
        if lease.lost:
            raise _refusal(store.uri, "another process")
        yield
        return
    lease = _held[store.uri] = _acquire(store, wait=wait)
    try:
        yield
    finally:
        del _held[store.uri]
        lease.release()


def _acquire(store: Folder, *, wait: bool) -> Lease:
    while True:
        try:
            return Lease(store)
        except TransientError:
            if not wait:
                raise
        time.sleep(_POLL_SECONDS)


class Lease:
    """A lease on a store, renewed by a thread."""

    def __init__(self, store: Folder) -> None:
        self._uri = f"{store.uri}/{LEASE_FILE}"
        self._holder = _own_name()
        self._ended = threading.Event()
        self._version = version(self._uri)
        if self._version is not None:
            until, holder = _read(store)
            if until + timedelta(seconds=CLOCK_SECONDS) > _now():
                raise _refusal(store.uri, holder)
        try:
            self._write(_now() + timedelta(seconds=LEASE_SECONDS))
        except ConflictError as error:
            raise _refusal(store.uri, "another process") from error
        self.lost = False
        self._thread = threading.Thread(target=self._renew, name="lease", daemon=True)
        self._thread.start()

    def release(self) -> None:
        """End the lease."""
        self._ended.set()
        self._thread.join()
        if not self.lost:
            self._write(_OVER)

    def _renew(self) -> None:
        while not self._ended.wait(_RENEW_SECONDS):
            try:
                self._write(_now() + timedelta(seconds=LEASE_SECONDS))
            except ConflictError:
                self.lost = True
                log.exception("another process took the lease %s", self._uri)
                return
            except OSError as error:
                log.warning("the lease is not renewed: %s", error)

    def _write(self, until: datetime) -> None:
        content = {"holder": self._holder, "until": until.isoformat()}
        self._version = write_if(self._uri, json.dumps(content).encode(), self._version)


def _read(store: Folder) -> tuple[datetime, str]:
    """Return the expiry and holder of a lease."""
    found = store.read_json(LEASE_FILE)
    try:
        until = datetime.fromisoformat(found["until"])
        if until.tzinfo is None or until.year == datetime.max.year:
            raise ValueError("'until' is no time")
        return until, str(found["holder"])
    except (KeyError, TypeError, ValueError) as error:
        raise ArtifactError(
            f"is no lease: {error}", f"{store.uri}/{LEASE_FILE}", "If no run works on the store, remove the file"
        ) from error


def _own_name() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def _refusal(store: str, holder: str) -> TransientError:
    return TransientError(
        f"another run works on this store ({holder})",
        store,
        "Nothing was changed. Wait for it to end, or run with --wait",
    )


def _now() -> datetime:
    return datetime.now(UTC)


# Change a user's file on the local disk, serialized and atomic.

_SECONDS = 30  # Waiting time for other editors of the file; a change takes milliseconds.


def local_file(uri: str, setting: str) -> Path:
    """Return the path of a file that can be edited."""
    folder, _, name = uri.rpartition("/")
    files = Files(folder or ("/" if uri.startswith("/") else "."))
    if not files.is_local:
        raise ConfigError(
            "a file in an object store cannot be changed here", uri,
            f"Set {setting} to a file on the local disk, or change the object where it lies",
        )  # fmt: skip
    return Path(files.path(name))


def edit_file(file: Path, change: Callable[[str], str]) -> None:
    """Replace a file's text by `change(text)`; the text of an absent file is "".

    Concurrent editors wait, so no change is lost. Links and permissions stay.
    """
    file = file.resolve()  # a link stays one
    lock = FileLock(file.with_name(f".{file.name}.lock"), timeout=_SECONDS)
    if not file.parent.is_dir():
        hint = "Name a file in a folder that is there and may be written to"
        raise ConfigError("cannot be written: its folder is not there", str(file), hint)
    with changing(str(file)):
        try:
            lock.acquire()
        except Timeout as error:
            raise TransientError(
                "another process is changing the file", str(file), "Nothing was changed. Try again"
            ) from error
    try:
        left = file.with_name(f"{file.name}{WRITING}")
        if left.exists():  # by a change that was killed
            left.unlink()
        before = read_text(file)
        after = change(before)
        if after != before:
            mode = file.stat().st_mode if file.exists() else None
            Files(file.parent).write_bytes(file.name, after.encode("utf-8"), durable=True, mode=mode)
    finally:
        lock.release()


def read_text(file: Path) -> str:
    """Return the text of a file; "" if it does not exist."""
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"the file cannot be read: {reason}", str(file)) from error
