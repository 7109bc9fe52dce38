"""Limits on the size and duration of a response, as a server may never finish."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2

_MOST_BYTES = 64_000_000  # Most bytes of a response: some ten times the vectors of 64 texts.
_BEGAN = "graphrag_began"


def begin(request: httpx2.Request) -> None:
    """Note the time at which a request is sent."""
    request.extensions[_BEGAN] = time.monotonic()


def bound(response: httpx2.Response, seconds: float) -> None:
    """Make a response fail once its request is `seconds` old, or the response is too large.

    Files of batches may be large, and are read as long as data arrives.
    """
    import httpx2

    if "/files" in response.request.url.path:
        return
    until, stream = response.request.extensions[_BEGAN] + seconds, response.stream

    class Bounded(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for piece in stream:  # type: ignore[union-attr] # the client is no asynchronous one
                size += len(piece)
                if time.monotonic() > until:
                    raise httpx2.ReadTimeout(f"it took more than {seconds:g} s")
                if size > _MOST_BYTES:
                    raise httpx2.ReadError(f"it has more than {_MOST_BYTES:,} bytes")
                yield piece

        def close(self) -> None:
            stream.close()  # type: ignore[union-attr]

    response.stream = Bounded()
