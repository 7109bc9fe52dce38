"""One HTTP request to an endpoint with OpenAI's API, and its possible results.

The SDK is used without its retries, which the budget would not see, without redirects, which would send documents
elsewhere, and without `OPENAI_*` variables: every header is set here.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import numpy as np

from graphrag_tasks.core.commands import brought_by
from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.config.llm import OPENAI_URL
from graphrag_tasks.core.errors import EndpointError
from graphrag_tasks.core.visible import without_thoughts
from graphrag_tasks.llm import bounds
from graphrag_tasks.llm.abilities import PROMPT, SCHEMA, Abilities
from graphrag_tasks.llm.answers import Kind, Usage
from graphrag_tasks.llm.events import events_of, spelled, text_of
from graphrag_tasks.llm.outcome import Outcome
from graphrag_tasks.llm.refusals import KEY_VARIABLE, meaning, without_key
from graphrag_tasks.llm.request import Request, correction
from graphrag_tasks.llm.schema import InvalidAnswerError, strict_schema, validated

if TYPE_CHECKING:
    import ssl

    import openai

Called = TypeVar("Called")

OPENAI_KEY_VARIABLE = "OPENAI_API_KEY"

_HEADERS = {
    "host", "accept", "accept-encoding", "connection", "user-agent", "content-type",
    "content-length", "transfer-encoding",
}  # fmt: skip


_MOST_TOKENS = 1e9  # Most tokens of one request; a larger count is invalid.


def _untold(_: str) -> None:
    """Ignore the pieces of an answer that was not requested as a stream."""


@cache
def _certificates() -> ssl.SSLContext:
    """Load the trusted certificates once, as it takes as long as many requests."""
    import httpx2

    return httpx2.create_ssl_context()


class Endpoint:
    """An endpoint with its key; several threads may use it."""

    def __init__(self, config: LlmConfig) -> None:
        self._config = config
        self.url = config.url
        self.host = urlsplit(self.url).hostname or self.url
        self._key = os.environ.get(KEY_VARIABLE, "")
        if self.url == OPENAI_URL:
            self._key = self._key or os.environ.get(OPENAI_KEY_VARIABLE, "")
            if not self._key:
                hint = f"Set {KEY_VARIABLE} in the environment, or llm.base_url to another endpoint"
                raise EndpointError("there is no key", self.url, hint)
        self._client = self._connected()

    def attempt(self, request: Request, model: str, abilities: Abilities, problem: str = "") -> Outcome:
        """Send a request once.

        Args:
            request: The request.
            model: Model to ask.
            abilities: Features of the endpoint.
            problem: What was wrong with the previous answer.
        """
        body = self.body(request, model, abilities, problem)
        response = self._sent("POST", "/chat/completions", body)
        return response if isinstance(response, Outcome) else read(response, request)

    def embed(self, texts: Sequence[str], model: str, dimensions: int) -> Outcome:
        """Send texts to be embedded; the outcome's `vectors` have a row for each."""
        body: dict[str, Any] = {"model": model, "input": list(texts), "encoding_format": "float"}
        if dimensions:
            body["dimensions"] = dimensions
        found = self._sent("POST", "/embeddings", body)
        if isinstance(found, Outcome):
            return found
        rows = {row["index"]: row["embedding"] for row in found.body.get("data") or []}
        if sorted(rows) != list(range(len(texts))):
            return Outcome(Kind.UNSURE, why=f"{len(rows)} vectors came for {len(texts)} texts")
        vectors = np.array([rows[place] for place in range(len(texts))], np.float32)
        name = str(found.body.get("model") or "")
        return Outcome(
            Kind.ANSWERED, usage=_usage(found.body), model=name, vectors=vectors,
            headers=found.headers,
        )  # fmt: skip

    def models(self) -> list[str]:
        """Return the names of the models that the endpoint lists."""
        found = self._sent("GET", "/models")
        if isinstance(found, Outcome):
            raise EndpointError(found.why, self.url, "Start the server, or mend llm.base_url")
        return sorted(str(one["id"]) for one in found.body.get("data") or [])

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _connected(self) -> openai.OpenAI:
        with brought_by("llm"):
            import httpx2
            import openai

        logging.getLogger("openai").setLevel(logging.WARNING)  # it would log prompts

        def own_headers_alone(request: httpx2.Request) -> None:
            for name in set(request.headers) - _HEADERS:
                del request.headers[name]
            if self._key:
                request.headers["authorization"] = f"Bearer {self._key}"
            bounds.begin(request)

        def bounded(response: httpx2.Response) -> None:
            bounds.bound(response, self._config.timeout_seconds)

        transport = openai.DefaultHttpxClient(
            verify=_certificates(),
            follow_redirects=False,
            timeout=self._config.timeout_seconds,
            event_hooks={"request": [own_headers_alone], "response": [bounded]},
            limits=httpx2.Limits(max_connections=self._config.concurrency),
        )
        return openai.OpenAI(
            api_key=self._key or "none",
            base_url=self.url,
            organization="",
            project="",
            max_retries=0,
            http_client=transport,
        )

    def body(self, request: Request, model: str, abilities: Abilities, problem: str = "") -> dict[str, Any]:
        """Return the JSON body of a request; see `attempt`."""
        system, user = request.system, request.user
        body: dict[str, Any] = {"model": model, **self._config.parameters}
        body[abilities.length_name] = request.max_output
        if request.answer is not None:
            if abilities.structured == SCHEMA:
                schema = strict_schema(request.answer)
                named = {"name": request.purpose, "strict": True, "schema": schema}
                body["response_format"] = {"type": "json_schema", "json_schema": named}
            else:
                system += request.form
                if abilities.structured != PROMPT:
                    body["response_format"] = {"type": "json_object"}
        body["messages"] = [
            {"role": "system", "content": system},
            {"role": "user", "content": user + correction(problem)},
        ]
        return body

    def _sent(self, method: str, path: str, body: dict[str, Any] | None = None) -> Outcome | Response:
        """Send a request through the SDK as plain JSON: its typed models would take longest."""
        import httpx2

        def send(client: openai.OpenAI) -> tuple[object, Mapping[str, str]]:
            if method == "GET":
                response = client.get(path, cast_to=httpx2.Response)
            else:
                response = client.post(path, cast_to=httpx2.Response, body=body)
            if "event-stream" in response.headers.get("content-type", ""):
                return spelled(events_of(response.text), _untold, math.inf), response.headers
            return response.json(), response.headers

        sent = self.called(send, body)
        if isinstance(sent, Outcome):
            return sent
        found, headers = sent
        if not isinstance(found, dict):
            return Outcome(Kind.UNSURE, why="the answer is no JSON object")
        return Response(found, headers)

    def called(
        self, call: Callable[[openai.OpenAI], Called], body: Mapping[str, Any] | None = None
    ) -> Called | Outcome:
        """Return the result of an SDK call, or the outcome of its failure.

        Args:
            call: The call.
            body: The JSON that it sends, if any.
        """
        import httpx2
        import openai

        try:
            return call(self._client)
        except openai.APITimeoutError:
            seconds = self._config.timeout_seconds
            return Outcome(Kind.UNSURE, why=f"no answer within {seconds:g} s")
        except openai.APIConnectionError as error:
            cause = error.__cause__
            if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout):
                why = self.hidden(f"no connection to {self.host}: {cause}")
                return Outcome(Kind.FAILED, usage=Usage(), why=why)
            return Outcome(Kind.UNSURE, why=self.hidden(f"the answer was cut off: {cause}"))
        except openai.APIStatusError as error:
            refused = error
        except ValueError as error:
            return Outcome(Kind.UNSURE, why=f"the answer is a page, not JSON: {error}")
        # Outside of the handler: the SDK's error may quote the key, and no traceback is to show it.
        has_form = "response_format" in (body or {})
        meant = meaning(refused, self.url, self.hidden, has_form=has_form)
        return replace(meant, usage=Usage())

    def hidden(self, text: str) -> str:
        """Return a text with the key masked."""
        return without_key(text, self._key)


@dataclass(frozen=True)
class Response:
    """A response with its parsed body."""

    body: dict[str, Any]
    headers: Mapping[str, str]


def read(response: Response, request: Request) -> Outcome:
    """Return the outcome of a completion."""
    body, headers = response.body, response.headers
    choice: dict[str, Any] = next(iter(body.get("choices") or []), {})
    message = choice.get("message") or {}
    text, model = text_of(message.get("content")), str(body.get("model") or "")
    usage = _usage(body, text)

    def outcome(kind: Kind, text: str = "", why: str = "") -> Outcome:
        return Outcome(kind, text=text, usage=usage, model=model, why=why, headers=headers)

    if not message:
        return outcome(Kind.UNSURE, why="the answer has no choices")
    finish = choice.get("finish_reason")
    if message.get("refusal") or finish == "content_filter":
        return outcome(Kind.REFUSED, why=message.get("refusal") or "a filter of the provider")
    if finish == "length":
        kind = Kind.TRUNCATED if text.strip() else Kind.EMPTY
        return outcome(kind, why=f"longer than {request.max_output} tokens")
    if request.answer is None:
        text = without_thoughts(text)
    if not text.strip():
        return outcome(Kind.EMPTY, why="the answer is empty")
    if request.answer is not None:
        try:
            validated(text, request.answer)
        except InvalidAnswerError as error:
            return outcome(Kind.INVALID, text=text, why=str(error))
    return outcome(Kind.ANSWERED, text=text)


def _usage(body: Mapping[str, Any], text: str = "") -> Usage | None:
    """Return the token usage of a response, or None where it is missing, zero or invalid."""
    told = body.get("usage")
    if not isinstance(told, dict):
        return None
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    prompt, completion, total = (_count(told.get(name)) for name in names)
    # Gemini counts what a model thinks, which is billed, in the total alone.
    completion = max(completion, total - prompt)
    if not prompt or (text and not completion):
        return None
    details = told.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else 0
    return Usage(prompt, completion, min(cached, prompt))


def _count(value: object) -> int:
    """Return a token count, which some servers send as float or string; 0 where it is invalid."""
    try:
        number = 0.0 if isinstance(value, bool) else float(str(value))
    except ValueError:
        return 0
    return math.ceil(number) if 0 < number <= _MOST_TOKENS else 0
