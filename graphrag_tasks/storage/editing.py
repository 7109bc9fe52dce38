"""Change a user's file on the local disk, serialized and atomic."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from filelock import FileLock, Timeout

from graphrag_tasks.core.errors import ConfigError, TransientError
from graphrag_tasks.storage.files import WRITING, Files, changing

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
