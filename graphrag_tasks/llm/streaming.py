"""Limits on a response, as a server may never finish, and answers that arrive in pieces.

A stream that breaks off, or ends without a finish reason, is no answer: its attempt may have been billed, and counts in
full.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from graphrag_tasks.llm.request import Kind, Outcome

if TYPE_CHECKING:
    import httpx2
    import openai

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


class Pieces:
    """Reports the pieces of one attempt only: the first that yields any.

    Args:
        tell: Called with each piece.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell, self.has_told = tell, False

    def begun(self) -> Callable[[str], None]:
        """Return the callback for a new attempt's pieces; it ignores them after another's."""
        if self.has_told:
            return lambda _: None

        def tell(piece: str) -> None:
            self.has_told = True
            self._tell(piece)

        return tell


def received(
    client: openai.OpenAI, body: Mapping[str, Any], tell: Callable[[str], None], most: int
) -> tuple[object, Mapping[str, str]] | Outcome:
    """Send a request; return the completion, up to a number of characters, as it were whole, and the headers."""
    import httpx2
    import openai

    body = {**body, "stream": True, "stream_options": {"include_usage": True}}
    stream = client.post("/chat/completions", cast_to=object, body=body, stream=True, stream_cls=openai.Stream[Any])
    try:
        with stream:
            if "json" in stream.response.headers.get("content-type", ""):  # it does not stream
                stream.response.read()
                return stream.response.json(), stream.response.headers
            whole = _joined(stream, tell, most)
    except (httpx2.TransportError, openai.APIError) as error:
        return Outcome(Kind.UNSURE, why=f"the answer was cut off: {error}")
    if whole is None:
        return Outcome(Kind.UNSURE, why="the answer was cut off: it has no end")
    return whole, stream.response.headers


def _joined(events: Iterable[object], tell: Callable[[str], None], most: float) -> dict[str, Any] | None:
    """Return the completion in a stream's events, or None where it has no end."""
    text, refusal = "", ""
    finish = usage = name = None
    choice: dict[str, Any]
    for event in events:
        if not isinstance(event, dict):
            continue
        usage, name = event.get("usage") or usage, event.get("model") or name
        choice = next(iter(event.get("choices") or []), {})
        delta = choice.get("delta") or {}
        finish = choice.get("finish_reason") or finish
        refusal += delta.get("refusal") or ""
        if isinstance(piece := delta.get("content"), str) and piece:
            text += piece
            tell(piece)
        if len(text) > most:
            finish = "length"
            break
    if finish is None:
        return None
    message = {"content": text, "refusal": refusal}
    choices = [{"message": message, "finish_reason": finish}]
    return {"choices": choices, "usage": usage, "model": name}
