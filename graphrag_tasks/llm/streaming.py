"""A streamed answer, parsed like a whole answer.

A stream that breaks off, or ends without a finish reason, is no answer: its attempt may have been billed, and counts in
full.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from graphrag_tasks.llm.abilities import Abilities
from graphrag_tasks.llm.answers import Kind
from graphrag_tasks.llm.endpoint import Endpoint, Response, read
from graphrag_tasks.llm.events import spelled, text_of
from graphrag_tasks.llm.ledger import MOST_BYTES
from graphrag_tasks.llm.outcome import Outcome
from graphrag_tasks.llm.request import Request

if TYPE_CHECKING:
    import openai


class Pieces:
    """Reports the pieces of one attempt only: the first that yields any.

    Args:
        tell: Called with each piece.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell, self._has_told = tell, False

    def begun(self) -> Callable[[str], None]:
        """Return the callback for a new attempt's pieces; it ignores them after another's."""
        if self._has_told:
            return lambda _: None

        def tell(piece: str) -> None:
            self._has_told = True
            self._tell(piece)

        return tell


def streamed(endpoint: Endpoint, request: Request, model: str, abilities: Abilities, pieces: Pieces) -> Outcome:
    """Send a request once and report its answer as it arrives; whole, if streaming is unsupported."""
    tell = pieces.begun()
    if not abilities.streams:
        outcome = endpoint.attempt(request, model, abilities)
        if outcome.kind == Kind.ANSWERED:
            tell(outcome.text)
        return outcome
    body = endpoint.body(request, model, abilities)
    body |= {"stream": True, "stream_options": {"include_usage": True}}
    most = request.max_output * MOST_BYTES

    def received(client: openai.OpenAI) -> Outcome | Response:
        return _received(client, body, tell, endpoint.hidden, most)

    came = endpoint.called(received, body)
    return came if isinstance(came, Outcome) else read(came, request)


def _received(
    client: openai.OpenAI, body: Mapping[str, Any], tell: Callable[[str], None], hidden: Callable[[str], str], most: int
) -> Outcome | Response:
    """Return the completion in a stream, up to a number of characters."""
    import httpx2
    import openai

    stream = client.post("/chat/completions", cast_to=object, body=body, stream=True, stream_cls=openai.Stream[Any])
    try:
        with stream:
            if "json" in stream.response.headers.get("content-type", ""):
                stream.response.read()
                return _whole(stream.response.json(), stream.response.headers, tell)
            whole = spelled(stream, tell, most)
    except (httpx2.TransportError, openai.APIError) as error:
        return Outcome(Kind.UNSURE, why=hidden(f"the answer was cut off: {error}"))
    if whole is None:
        return Outcome(Kind.UNSURE, why="the answer was cut off: it has no end")
    return Response(whole, stream.response.headers)


def _whole(body: object, headers: Mapping[str, str], tell: Callable[[str], None]) -> Outcome | Response:
    """Return a completion that was not streamed, and report its text."""
    if not isinstance(body, dict):
        return Outcome(Kind.UNSURE, why="the answer is no JSON object")
    choice: dict[str, Any] = next(iter(body.get("choices") or []), {})
    if text := text_of((choice.get("message") or {}).get("content")):
        tell(text)
    return Response(body, headers)
