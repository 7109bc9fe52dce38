"""One run at a time on a store."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from graphrag_tasks.core.errors import TransientError
from graphrag_tasks.storage import is_s3
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.files import changing
from graphrag_tasks.storage.leases import leased

_LOCK_FILE = ".lock"


@contextmanager
def sole_run(store: Folder, *, wait: bool = False) -> Iterator[None]:
    """Hold a store for the block; a process that already holds it may enter again.

    The lock is the operating system's and ends with the process, however that ends. A store in S3
    has a lease instead (see `leases`).

    Raises:
        TransientError: Another run holds the store, or it cannot be written.
    """
    if is_s3(store.uri):
        with leased(store, wait=wait):
            yield
        return
    if not store.is_local:
        yield
        return
    path = Path(store.path(_LOCK_FILE))
    lock = FileLock(path, thread_local=False, is_singleton=True)
    try:
        with changing(store.uri):
            path.parent.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=-1 if wait else 0)
    except Timeout as error:
        holder = path.read_text("utf-8", "replace").strip() or "another process"
        raise TransientError(
            f"another run works on this store ({holder})",
            store.uri,
            "Nothing was changed. Wait for it to end, or run with --wait",
        ) from error
    try:
        with suppress(OSError):  # a full disk must not keep `gc` from making room
            path.write_text(f"process {os.getpid()} on {socket.gethostname()}\n", "utf-8")
        yield
    finally:
        lock.release()
