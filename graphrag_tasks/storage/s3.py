"""S3 as an fsspec file system: obstore's, with a file system's errors.

obstore (the Rust crate object_store) is one package without dependencies, with the retries and conditional writes that
s3fs and pyarrow's S3 lack. Credentials, region and endpoint come from the environment (`AWS_ACCESS_KEY_ID`, …) or from
the machine's role, never from a setting.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from fsspec.asyn import sync
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
)
from obstore.fsspec import FsspecStore

from graphrag_tasks.storage import S3, ConflictError

_Method = Callable[..., Awaitable[Any]]


def _as_os_error(method: _Method) -> _Method:
    @wraps(method)
    async def speak(self: S3FileSystem, path: str, *args: Any, **options: Any) -> Any:  # noqa: ANN401
        try:
            return await method(self, path, *args, **options)
        except (PermissionDeniedError, UnauthenticatedError) as error:
            raise PermissionError(f"{path}: S3 refuses: {_first_line(error)}") from error
        except BaseError as error:
            raise OSError(f"{path}: {_first_line(error)}") from error

    return speak


def _first_line(error: BaseError) -> str:
    return str(error).partition("\n")[0]


class S3FileSystem(FsspecStore):
    """S3 objects as files; refusals and timeouts are `OSError`."""

    protocol = S3

    _info = _as_os_error(FsspecStore._info)
    _ls = _as_os_error(FsspecStore._ls)
    _cat_file = _as_os_error(FsspecStore._cat_file)
    _pipe_file = _as_os_error(FsspecStore._pipe_file)
    _put_file = _as_os_error(FsspecStore._put_file)
    _cp_file = _as_os_error(FsspecStore._cp_file)
    _rm_file = _as_os_error(FsspecStore._rm_file)

    def put_if(self, path: str, data: bytes, expected: str | None) -> str:
        """Write an object if its version is `expected`; None means that it must not exist."""
        return str(sync(self.loop, self._put_if, path, data, expected))

    async def _put_if(self, path: str, data: bytes, expected: str | None) -> Any:  # noqa: ANN401 - obstore need not be there
        bucket, key = self._split_path(path)
        mode = "create" if expected is None else {"e_tag": expected}
        try:
            written = await self._construct_store(bucket).put_async(key, data, mode=mode)
        except (AlreadyExistsError, PreconditionError) as error:
            raise ConflictError(path) from error
        except BaseError as error:
            raise OSError(f"{path}: {_first_line(error)}") from error
        return written["e_tag"]
