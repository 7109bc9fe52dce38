"""One HTTP request to an endpoint with OpenAI's API, and its possible results.

The SDK is used without its retries, which the budget would not see, without redirects, which would send documents
elsewhere, and without `OPENAI_*` variables: every header is set here.
"""

from __future__ import annotations

import logging
import math
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import numpy as np

from graphrag_tasks.core.commands import brought_by, command
from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.config.llm import OPENAI_URL
from graphrag_tasks.core.errors import EndpointError
from graphrag_tasks.core.visible import without_thoughts
from graphrag_tasks.llm import streaming
from graphrag_tasks.llm.request import (
    InvalidAnswerError,
    Kind,
    Outcome,
    Request,
    Usage,
    correction,
    strict_schema,
    validated,
)

if TYPE_CHECKING:
    import ssl

    import openai

Called = TypeVar("Called")

KEY_VARIABLE, OPENAI_KEY_VARIABLE = "GRAPHRAG_LLM_API_KEY", "OPENAI_API_KEY"
MOST_BYTES = 40  # Most bytes per token, on average of a text: some four times those of models' vocabularies.

_TOO_LONG = re.compile(r"context.?(?:length|size|window)|maximum context|too long|token count", re.IGNORECASE)
_SHOWN = 300  # Most characters of the endpoint's own message that are shown.
_LEAST_OF_KEY = 4  # Fewest characters of a key that is masked in texts; a shorter key is a placeholder such as `x`.

_HEADERS = {
    "host", "accept", "accept-encoding", "connection", "user-agent", "content-type",
    "content-length", "transfer-encoding",
}  # fmt: skip
_MOST_TOKENS = 1e9  # Most tokens of one request; a larger count is invalid.


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
        # Other servers have taken the older name over, and OpenAI's newer models refuse it.
        self._length = "max_completion_tokens" if "openai" in self.host else "max_tokens"
        self._client = self._connected()

    def attempt(
        self, request: Request, model: str, problem: str = "", pieces: streaming.Pieces | None = None
    ) -> Outcome:
        """Send a request once.

        Args:
            request: The request.
            model: Model to ask.
            problem: What was wrong with the previous answer.
            pieces: Reports the answer as it arrives.
        """
        body = self.body(request, model, problem)
        if pieces is None:
            response = self._sent("/chat/completions", body)
            return response if isinstance(response, Outcome) else read(response, request)
        tell, most = pieces.begun(), request.max_output * MOST_BYTES
        response = self._response(lambda client: streaming.received(client, body, tell, most))
        outcome = response if isinstance(response, Outcome) else read(response, request)
        if outcome.kind == Kind.ANSWERED and not pieces.has_told:
            tell(outcome.text)
        return outcome

    def embed(self, texts: Sequence[str], model: str, dimensions: int) -> Outcome:
        """Send texts to be embedded; the outcome's `vectors` have a row for each."""
        body: dict[str, Any] = {"model": model, "input": list(texts), "encoding_format": "float"}
        if dimensions:
            body["dimensions"] = dimensions
        found = self._sent("/embeddings", body)
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
            streaming.begin(request)

        def bounded(response: httpx2.Response) -> None:
            streaming.bound(response, self._config.timeout_seconds)

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

    def body(self, request: Request, model: str, problem: str = "") -> dict[str, Any]:
        """Return the JSON body of a request; see `attempt`."""
        system, user = request.system, request.user + correction(problem)
        body: dict[str, Any] = {"model": model, **self._config.parameters, self._length: request.max_output}
        if request.answer is not None:
            if self._config.structured == "json_schema":
                named = {"name": request.purpose, "strict": True, "schema": strict_schema(request.answer)}
                body["response_format"] = {"type": "json_schema", "json_schema": named}
            else:
                system += request.form
                if self._config.structured == "json_object":
                    body["response_format"] = {"type": "json_object"}
        body["messages"] = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        return body

    def _sent(self, path: str, body: dict[str, Any]) -> Outcome | Response:
        """Send a request through the SDK as plain JSON: its typed models would take longest."""
        import httpx2

        def send(client: openai.OpenAI) -> tuple[object, Mapping[str, str]]:
            response = client.post(path, cast_to=httpx2.Response, body=body)
            return response.json(), response.headers

        return self._response(send)

    def _response(
        self, call: Callable[[openai.OpenAI], tuple[object, Mapping[str, str]] | Outcome]
    ) -> Outcome | Response:
        sent = self.called(call)
        if isinstance(sent, Outcome):
            return replace(sent, why=self.hidden(sent.why))
        body, headers = sent
        if not isinstance(body, dict):
            return Outcome(Kind.UNSURE, why="the answer is no JSON object")
        return Response(body, headers)

    def called(self, call: Callable[[openai.OpenAI], Called]) -> Called | Outcome:
        """Return the result of an SDK call, or the outcome of its failure."""
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
        return replace(_refusal(refused, self.url, self.hidden), usage=Usage())

    def hidden(self, text: str) -> str:
        """Return a text with `***` for the key, whole or given by its first or last letters.

        Providers that refuse a key print it, whole or as in `sk-ab***********wxyz`.
        """
        if len(self._key) < _LEAST_OF_KEY:
            return text
        text = text.replace(self._key, "***")
        begin, end = re.escape(self._key[:_LEAST_OF_KEY]), re.escape(self._key[-_LEAST_OF_KEY:])
        text = re.sub(rf"{begin}[\w-]*[*.…]+[\w-]*", "***", text)
        return re.sub(rf"[*.…]+{end}\b", "***", text)


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
    content, model = message.get("content"), str(body.get("model") or "")
    text = content if isinstance(content, str) else ""
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


def _refusal(error: openai.APIStatusError, url: str, hidden: Callable[[str], str]) -> Outcome:
    """Return the outcome of an error status, or raise where a retry cannot help."""
    status, headers = error.status_code, error.response.headers
    body = error.body if isinstance(error.body, dict) else {}
    said = " ".join(hidden(str(body.get("message") or error.response.text or error)).split())[:_SHOWN]
    wait, costs = _wait(headers), error.code == "insufficient_quota"
    if (status == 429 and not costs) or (status == 503 and wait is not None):
        return Outcome(Kind.BUSY, why=said, wait=wait)
    if status >= 500 or status in (408, 409):
        return Outcome(Kind.FAILED, why=f"status {status}: {said}")
    if status == 413 or (status in (400, 422) and _TOO_LONG.search(f"{error.code} {said}")):
        return Outcome(Kind.TOO_LONG, why=said)
    if error.code == "content_filter":
        return Outcome(Kind.REFUSED, why=said)
    doctor = f"{command('doctor', '--llm')} says what the endpoint answers"
    if 300 <= status < 400:
        what = f"it redirects to {hidden(headers.get('location', 'elsewhere'))}, which is not followed"
        hint = "Set llm.base_url to that"
    elif status == 402 or costs:
        what, hint = f"the account has no money left: {said}", "Top it up, then run again: answers are kept"
    elif status in (401, 403):
        what, hint = f"the key is refused: {said}", f"Set {KEY_VARIABLE}"
    elif status == 404:
        what, hint = f"no such model or address: {said}", f"Mend llm.model or llm.base_url. {doctor}"
    else:
        what = f"it refuses the request with status {status}: {said}"
        hint = f'Where that is the form of answers: llm.structured = "json_object" or "prompt". {doctor}'
    raise EndpointError(what, url, hint)


def _wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that the headers ask to wait."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with suppress(ValueError):
            seconds = float(headers.get(name, "")) * unit
            if math.isfinite(seconds):
                return max(seconds, 0.0)
    with suppress(ValueError, TypeError, OverflowError):
        return max(parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time.time(), 0.0)
    return None
