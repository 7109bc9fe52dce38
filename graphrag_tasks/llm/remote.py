"""Batches at the endpoint: uploaded files, batches of them, and their results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from graphrag_tasks.core.errors import TransientError
from graphrag_tasks.llm.endpoint import Endpoint, Response, read
from graphrag_tasks.llm.outcome import Outcome
from graphrag_tasks.llm.request import Request

if TYPE_CHECKING:
    import openai
    from openai.types import Batch

Called = TypeVar("Called")

PATH: Final = "/v1/chat/completions"
NAME = "graphrag_batch"  # Metadata key of a batch that holds our batch key.
_NO_SUCH_API = (404, 405, 501)  # HTTP statuses: not found, method not allowed, not implemented (RFC 9110).
_ENDED = ("completed", "expired", "cancelled")
_FAILED = "failed"
_TOO_MANY = "token_limit_exceeded"


@dataclass(frozen=True)
class RemoteBatch:
    """A batch at the endpoint.

    Attributes:
        batch_id: Its id there.
        status: Status as reported.
        files: Ids of its files there: requests, answers and errors.
        results: Those of the files with answers and errors.
        why: Error of the batch as a whole.
        too_many_tokens: Whether it was refused because too many tokens are already queued.
    """

    batch_id: str
    status: str
    files: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    why: str = ""
    too_many_tokens: bool = False

    @property
    def has_ended(self) -> bool:
        """Whether its results are available."""
        return self.status in _ENDED

    @property
    def has_failed(self) -> bool:
        """Whether it was refused as a whole."""
        return self.status == _FAILED


@dataclass(frozen=True)
class Result:
    """Result of one request in a batch.

    Attributes:
        key: The request's key.
        outcome: As for a request sent alone; None where it was not answered.
    """

    key: str
    outcome: Outcome | None


class RemoteBatches:
    """The batches of an endpoint.

    Methods raise `TransientError` where a retry may help, and `EndpointError` otherwise.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def upload(self, name: str, lines: bytes) -> str | None:
        """Upload a file of requests; return its id, or None where batches are not supported."""
        import openai

        def upload(client: openai.OpenAI) -> str | None:
            try:
                return client.files.create(file=(name, lines), purpose="batch").id
            except openai.APIStatusError as error:
                if error.status_code in _NO_SUCH_API:
                    return None
                raise

        return self._called(upload)

    def create(self, file_id: str, key: str) -> RemoteBatch:
        """Create a batch from a file."""
        return self._called(
            lambda client: _batch(
                client.batches.create(
                    input_file_id=file_id, endpoint=PATH, completion_window="24h",
                    metadata={NAME: key},
                )
            )
        )  # fmt: skip

    def state(self, batch_id: str) -> RemoteBatch | None:
        """Return a batch, or None where this account has no such batch."""
        import openai

        def retrieve(client: openai.OpenAI) -> RemoteBatch | None:
            try:
                return _batch(client.batches.retrieve(batch_id))
            except openai.NotFoundError:
                return None

        return self._called(retrieve)

    def find(self, key: str) -> RemoteBatch | None:
        """Return the batch created for a key, or None."""

        def find(client: openai.OpenAI) -> RemoteBatch | None:
            for batch in client.batches.list(limit=100):
                if (batch.metadata or {}).get(NAME) == key:
                    return _batch(batch)
            return None

        return self._called(find)

    def find_file(self, name: str) -> str | None:
        """Return the id of the file uploaded under a name, or None."""

        def find(client: openai.OpenAI) -> str | None:
            for file in client.files.list(purpose="batch"):
                if file.filename == name:
                    return file.id
            return None

        return self._called(find)

    def results(self, file_id: str, form: Request) -> Iterator[Result]:
        """Yield the results in a file; `form` is a request with the same form of answer.

        Unreadable lines are skipped: their requests have no result.
        """

        def stream(client: openai.OpenAI) -> Iterator[str]:
            with client.files.with_streaming_response.content(file_id) as response:
                yield from response.iter_lines()

        lines = stream(self._client_of())
        while True:
            line = self._called(lambda _: next(lines, None))
            if line is None:
                return
            if (found := _result(line, form)) is not None:
                yield found

    def delete(self, file_id: str) -> None:
        """Delete a file; a missing file is ignored."""
        import openai

        def delete(client: openai.OpenAI) -> None:
            try:
                client.files.delete(file_id)
            except openai.NotFoundError:
                return

        self._called(delete)

    def _client_of(self) -> openai.OpenAI:
        return self._called(lambda client: client)

    def _called(self, call: Callable[[openai.OpenAI], Called]) -> Called:
        found = self._endpoint.called(call)
        if isinstance(found, Outcome):
            hint = "Run again: batches that were made are found again"
            raise TransientError(found.why, self._endpoint.url, hint)
        return found


def _batch(one: Batch) -> RemoteBatch:
    results = [name for name in (one.output_file_id, one.error_file_id) if name]
    errors = (one.errors.data or []) if one.errors else []
    return RemoteBatch(
        batch_id=one.id,
        status=one.status,
        files=tuple(name for name in (one.input_file_id, *results) if name),
        results=tuple(results),
        why="; ".join(f"{error.code}: {error.message}" for error in errors)[:300],
        too_many_tokens=any(error.code == _TOO_MANY for error in errors),
    )


def _result(line: str, form: Request) -> Result | None:
    try:
        value: Any = json.loads(line)
        key, response = str(value["custom_id"]), value.get("response") or {}
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    if response.get("status_code") != 200 or not isinstance(response.get("body"), dict):
        return Result(key, None)
    return Result(key, read(Response(response["body"], {}), form))
