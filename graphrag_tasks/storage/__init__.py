"""Storage: files by URI, tables, snapshots, locks, and SQL.

In: URIs of the local disk, S3 (`s3://bucket/prefix`) or other fsspec systems. Open `files.py`, `artifacts.py` and
`snapshots/store.py` first.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import fsspec

from graphrag_tasks.core.commands import install_command
from graphrag_tasks.core.errors import ConfigError, MissingDependencyError

S3 = "s3"


class ConflictError(Exception):
    """An object's version is not the expected one: another process wrote it."""


def file_system(uri: str) -> tuple[Any, str]:
    """Return the file system of a URI or path, and the path on it."""
    if is_s3(uri):
        try:
            _register()
        except ModuleNotFoundError as error:
            raise MissingDependencyError(
                "S3 needs a package that is not installed", uri, install_command("s3")
            ) from error
    if "://" not in uri:  # a path, whatever signs it has: fsspec would chain what `::` joins
        disk = fsspec.filesystem("file")
        return disk, str(disk._strip_protocol(uri))
    if uri.startswith(("http://", "https://")):
        what = "is a web address, and documents and stores are in folders or in S3"
        hint = "Download it into a folder, and name that; or name s3://BUCKET/…"
        raise ConfigError(what, uri, hint)
    try:
        fs, path = fsspec.core.url_to_fs(uri)
    except (ValueError, TypeError) as error:
        raise ConfigError(
            f"is no path and no URI that is known: {error}", uri, "Name a folder, or s3://BUCKET/…"
        ) from error
    except ImportError as error:
        raise MissingDependencyError(
            "a package for this kind of URI is not installed", uri, f"fsspec says: {error}"
        ) from error
    return fs, str(path)


def is_s3(uri: str) -> bool:
    """Tell whether a URI is on S3."""
    return uri.startswith(f"{S3}://")


@cache
def _register() -> None:
    from graphrag_tasks.storage.s3 import S3FileSystem

    fsspec.register_implementation(S3, S3FileSystem, clobber=True)


def version(uri: str) -> str | None:
    """Return the version (ETag) of an S3 object, or None if absent."""
    fs, path = file_system(uri)
    try:
        return str(fs.info(path)["e_tag"])
    except FileNotFoundError:
        return None


def write_if(uri: str, data: bytes, expected: str | None) -> str:
    """Write an S3 object if its version is `expected`; None means that it must not exist."""
    fs, path = file_system(uri)
    return str(fs.put_if(path, data, expected))
