"""Files in folders: on the local disk, S3, and other fsspec systems.

Invariants:

  * A file is written under a temporary name and renamed, or uploaded when complete: a reader sees
    all of it or nothing.
  * Absent and unreadable files are different answers.
  * A power failure may damage a local file that was not written durably.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import posixpath
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from graphrag_tasks.core.errors import ArtifactError, ConfigError, TransientError
from graphrag_tasks.storage import file_system, is_s3

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


_READ_BYTES = 1 << 20  # Bytes read at a time.
_REFUSALS = {
    errno.EACCES, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC, errno.EPERM, errno.EROFS,
}  # fmt: skip
_NO_PLACE = {errno.EEXIST, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOTDIR}


WRITING = ".writing"  # Suffix of a file's name until it is complete; a killed process leaves it.


@contextmanager
def changing(where: str) -> Iterator[None]:
    """Translate errors of a change on disk to errors that name the file and the remedy."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_PLACE:
            raise ConfigError(
                f"cannot be written to: {error.strerror}", error.filename or where, "Name another folder"
            ) from error
        if error.errno not in _REFUSALS:
            raise
        raise TransientError(
            f"the storage refuses: {error.strerror}",
            where,
            "What is published stays. Make room or allow writing, and run again: finished work is kept",
        ) from error


@contextmanager
def _reading(folder: Files, name: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise absent(folder, name) from error
    except (PermissionError, IsADirectoryError, NotADirectoryError) as error:
        raise ArtifactError(
            f"cannot be read: {error.strerror or error}",
            f"{folder.uri}/{name}".rstrip("/"),
            "Name the folder of a store, and let this user read it",
        ) from error


class Files:
    """A folder of files at a path or URI, on any fsspec file system."""

    def __init__(self, uri: str | Path) -> None:
        self.uri = str(uri).rstrip("/")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.uri!r})"

    @cached_property
    def _target(self) -> tuple[Any, str]:
        return file_system(self.uri)

    def __truediv__(self, name: str) -> Self:
        return type(self)(posixpath.join(self.uri, name))

    def path(self, name: str = "") -> str:
        """Return a file's path on the folder's file system."""
        return posixpath.join(self._target[1], name) if name else self._target[1]

    @property
    def is_local(self) -> bool:
        """Whether the folder is on the local disk, so that files can be memory-mapped."""
        protocol = self._target[0].protocol
        return "file" in ((protocol,) if isinstance(protocol, str) else protocol)

    def exists(self, name: str = "") -> bool:
        """Tell whether the folder, or a file in it, exists."""
        return bool(self._target[0].exists(self.path(name)))

    def is_file(self) -> bool:
        """Tell whether a file is at the folder's path."""
        return bool(self._target[0].isfile(self.path()))

    def names(self) -> list[str]:
        """Return the sorted names in the folder; [] if it does not exist."""
        fs, path = self._target
        if not fs.exists(path):
            return []
        with _reading(self, ""):
            items = fs.ls(path, detail=False)
        return sorted(posixpath.basename(str(item).rstrip("/")) for item in items)

    def size(self, name: str) -> int:
        """Return a file's size in bytes."""
        return int(self._target[0].size(self.path(name)))

    def own_bytes(self) -> int:
        """Return the bytes below the folder that no other folder shares by a hard link."""
        if self.is_local:
            found = [one.stat() for one in Path(self.path()).rglob("*") if one.is_file()]
            return sum(one.st_size for one in found if one.st_nlink == 1)
        fs, path = self._target
        return int(sum(fs.du(path, total=False).values())) if fs.exists(path) else 0

    def last_written(self) -> datetime:
        """Return when a file below the folder was last written; the earliest time if none."""
        fs, path = self._target
        times = [fs.modified(one) for one in fs.find(path)]
        times = [time if time.tzinfo else time.replace(tzinfo=UTC) for time in times]
        return max(times, default=datetime.min.replace(tzinfo=UTC))

    def delete(self, name: str = "") -> None:
        """Remove the folder and all below it, or one file, if present."""
        fs, _ = self._target
        if not self.exists(name):
            return
        with changing(self.uri):
            if is_s3(self.uri):  # rm would take brackets in a name for a pattern
                for file in fs.find(self.path(name)):
                    fs.rm_file(file)
            else:
                fs.rm(self.path(name), recursive=not name)

    def delete_unfinished(self, before: datetime) -> None:
        """Remove unfinished files of killed writers that were last written before a time."""
        if self.is_local:
            with changing(self.uri):
                for path in list(Path(self.path()).rglob(f"*{WRITING}")):
                    if path.is_file() and path.stat().st_mtime < before.timestamp():
                        path.unlink()

    def move_to(self, other: Files, *, last: str) -> None:
        """Move this folder to another path on the same file system.

        If files are moved one by one, `last` is moved last, as it marks a complete folder.
        """
        fs, path = self._target
        if self.is_local:
            with changing(other.uri):
                fs.makedirs(posixpath.dirname(other.path()), exist_ok=True)
                fs.mv(path, other.path(), recursive=True)
            return
        names = [str(one)[len(path) :].lstrip("/") for one in fs.find(path)]
        for name in sorted(names, key=lambda name: (name == last, name)):
            other.copy_file(name, self)
        self.delete()

    def to_disk(self) -> None:
        """Wait until the folder and all below it are on the local disk, safe from power failure.

        On other file systems, written files are durable already.
        """
        if not self.is_local:
            return
        folder = Path(self.path())
        with changing(self.uri):
            for path in (*sorted(folder.rglob("*"), reverse=True), folder, folder.parent):
                to_disk(path)

    def copy_file(self, name: str, source: Files) -> None:
        """Copy a file from another folder; on the local disk by a hard link."""
        if self.is_local:
            with self._renaming(name) as temporary:
                temporary.unlink(missing_ok=True)
                source._take(name, temporary)
            return
        fs, _ = self._target
        with changing(f"{self.uri}/{name}"):
            fs.makedirs(posixpath.dirname(self.path(name)), exist_ok=True)
            fs.cp_file(source.path(name), self.path(name))

    def _take(self, name: str, target: Path) -> None:
        if self.is_local:
            try:
                os.link(self.path(name), target)
            except OSError:  # another file system, or one without links
                shutil.copyfile(self.path(name), target)
            return
        with self._reading(name) as file, target.open("wb") as written:
            shutil.copyfileobj(file, written, _READ_BYTES)

    def sha256(self, name: str) -> str:
        """Return the hex sha256 of a file's bytes."""
        digest = hashlib.sha256()
        with self._reading(name) as file:
            while data := file.read(_READ_BYTES):
                digest.update(data)
        return digest.hexdigest()

    @contextmanager
    def _reading(self, name: str) -> Iterator[Any]:
        if not self.exists(name):
            raise absent(self, name)
        with _reading(self, name):
            file = self._target[0].open(self.path(name), "rb")
        with file:
            yield file

    def write_bytes(self, name: str, data: bytes, *, durable: bool = False, mode: int | None = None) -> None:
        """Write a file atomically; `durable` also protects it from power failure.

        On the local disk it gets the permissions `mode`, if given.
        """
        with self._renaming(name) as temporary:
            temporary.write_bytes(data)
            if mode is not None and self.is_local:
                temporary.chmod(mode)
            if durable and self.is_local:
                to_disk(temporary)
        if durable and self.is_local:
            to_disk(Path(self.path(name)).parent)

    @contextmanager
    def _writing(self, name: str) -> Iterator[Any]:
        """Open a file that becomes visible, complete, when the block succeeds."""
        with self._renaming(name) as temporary, temporary.open("wb") as file:
            yield file

    @contextmanager
    def _renaming(self, name: str) -> Iterator[Path]:
        """Yield a local path to write to; it is renamed or uploaded when the block succeeds."""
        fs, _ = self._target
        final = self.path(name)
        with changing(f"{self.uri}/{name}"):
            fs.makedirs(posixpath.dirname(final), exist_ok=True)
            if not self.is_local:
                with scratch() as work:
                    yield work / "file"
                    fs.put_file(str(work / "file"), final)
                return
            temporary = Path(f"{final}{WRITING}")
            try:
                yield temporary
            except BaseException:
                if temporary.exists():  # on a read-only disk, not even an absent file is unlinked
                    temporary.unlink()
                raise
            temporary.replace(final)

    def read_bytes(self, name: str) -> bytes:
        """Return a file's bytes."""
        with _reading(self, name):
            return bytes(self._target[0].cat_file(self.path(name)))

    def write_json(self, name: str, value: object, *, durable: bool = False) -> None:
        """Write a value as sorted, indented JSON; see `write_bytes` for the arguments."""
        text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        self.write_bytes(name, text.encode("utf-8"), durable=durable)

    def read_json(self, name: str) -> Any:  # noqa: ANN401 - JSON is any type
        """Return the content of a JSON file."""
        try:
            return json.loads(self.read_bytes(name))
        except (ValueError, RecursionError) as error:
            raise ArtifactError(f"not readable as JSON: {error}", f"{self.uri}/{name}") from error


def to_disk(path: Path) -> None:
    """Wait until a file's bytes, or a folder's entries, are on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def absent(folder: Files, name: str) -> ArtifactError:
    """Return the error for a missing file."""
    return ArtifactError("does not exist", f"{folder.uri}/{name}", "Run the stage before this one")


# A cache on this machine's disk for remote or expensive data.

CACHE_VARIABLE = "GRAPHRAG_CACHE"  # Environment variable with the cache folder.


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """Return a cache folder by name, and create it if absent.

    Several processes may create it at once, with equal content: the first wins. It gets its name when it is complete
    and on disk.

    Args:
        name: Identifies the content exactly; may contain a parent folder.
        make: Writes into an empty folder.
    """
    cache = Path(os.environ.get(CACHE_VARIABLE) or Path.home() / ".cache" / "graphrag-tasks")
    final = cache / name
    if not final.exists():
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        final.parent.mkdir(exist_ok=True)
        with scratch(final.parent) as work:
            made = work / final.name
            made.mkdir()
            make(made)
            for path in (*made.rglob("*"), made):
                to_disk(path)
            _rename(made, final)
            to_disk(final.parent)
    return final


def _rename(made: Path, final: Path) -> None:
    try:
        made.rename(final)
    except OSError:
        if not final.exists():
            raise
        shutil.rmtree(made)  # another process was quicker, with the same bytes
