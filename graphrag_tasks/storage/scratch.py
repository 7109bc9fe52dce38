"""Temporary folders for document data on this machine's disk.

A killed process removes nothing, but its folder's lock ends with it; the next process that needs a temporary folder
removes unlocked ones.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "graphrag-scratch-"


@contextmanager
def scratch(place: Path | None = None) -> Iterator[Path]:
    """Yield an empty folder, and remove it afterwards; leftovers of killed processes go first.

    `place` is the parent folder, by default the system's for temporary files.
    """
    place = place or Path(tempfile.gettempdir())
    remove_leftovers(place)
    folder, lock = _made(place)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def remove_leftovers(place: Path | None = None) -> None:
    """Remove the folders of this user's ended processes."""
    for folder in (place or Path(tempfile.gettempdir())).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # its owner was quicker, it is another user's, or cannot be locked
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if os.fstat(lock).st_uid == os.getuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder)
            finally:
                os.close(lock)


def _made(place: Path) -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        with suppress(FileNotFoundError):  # taken for a leftover before it was locked
            lock = os.open(folder, os.O_RDONLY)
            with suppress(OSError):  # a disk without locks, where nothing is a leftover
                fcntl.flock(lock, fcntl.LOCK_EX)
            if folder.exists():
                return folder, lock
            os.close(lock)
