"""Batches at the endpoint: uploaded files, batches of them, and their results."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from graphrag_tasks.core.errors import TransientError
from graphrag_tasks.llm.endpoint import Endpoint, Response, read
from graphrag_tasks.llm.request import Outcome, Request

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


class RemoteBatches:
    """The batches of an endpoint.

    Methods raise `TransientError` where a retry may help, and `EndpointError` otherwise.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def upload(self, name: str, lines: bytes) -> str | None:
        """Upload a file of requests; return its id, or None where batches are not supported."""
        return self._or_none(lambda client: client.files.create(file=(name, lines), purpose="batch").id, _NO_SUCH_API)

    def create(self, file_id: str, key: str) -> RemoteBatch:
        """Create a batch from a file."""
        return self._called(
            lambda client: _batch(
                client.batches.create(
                    input_file_id=file_id, endpoint=PATH, completion_window="24h", metadata={NAME: key}
                )
            )
        )

    def state(self, batch_id: str) -> RemoteBatch | None:
        """Return a batch, or None where this account has no such batch."""
        return self._or_none(lambda client: _batch(client.batches.retrieve(batch_id)))

    def find(self, key: str) -> RemoteBatch | None:
        """Return the batch created for a key, or None."""
        return self._called(
            lambda client: next(
                (_batch(one) for one in client.batches.list(limit=100) if (one.metadata or {}).get(NAME) == key), None
            )
        )

    def find_file(self, name: str) -> str | None:
        """Return the id of the file uploaded under a name, or None."""
        return self._called(
            lambda client: next((one.id for one in client.files.list(purpose="batch") if one.filename == name), None)
        )

    def results(self, file_id: str, form: Request) -> Iterator[tuple[str, Outcome | None]]:
        """Yield the key and outcome of each result in a file; None where a request was not answered.

        `form` is a request with the same form of answer. Unreadable lines are skipped: their requests have no result.
        """

        def stream(client: openai.OpenAI) -> Iterator[str]:
            with client.files.with_streaming_response.content(file_id) as response:
                yield from response.iter_lines()

        lines = stream(self._called(lambda client: client))
        while (line := self._called(lambda _: next(lines, None))) is not None:
            if (result := _result(line, form)) is not None:
                yield result

    def delete(self, file_id: str) -> None:
        """Delete a file; a missing file is ignored."""
        self._or_none(lambda client: client.files.delete(file_id))

    def _or_none(self, call: Callable[[openai.OpenAI], Called], missing: Collection[int] = (404,)) -> Called | None:
        """Return the result of a call, or None where the endpoint answers with one of some statuses."""
        import openai

        def guarded(client: openai.OpenAI) -> Called | None:
            try:
                return call(client)
            except openai.APIStatusError as error:
                if error.status_code in missing:
                    return None
                raise

        return self._called(guarded)

    def _called(self, call: Callable[[openai.OpenAI], Called]) -> Called:
        result = self._endpoint.called(call)
        if isinstance(result, Outcome):
            hint = "Run again: batches that were made are found again"
            raise TransientError(result.why, self._endpoint.url, hint)
        return result


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


def _result(line: str, form: Request) -> tuple[str, Outcome | None] | None:
    try:
        value: Any = json.loads(line)
        key, response = str(value["custom_id"]), value.get("response") or {}
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    if response.get("status_code") != 200 or not isinstance(response.get("body"), dict):
        return key, None
    return key, read(Response(response["body"], {}), form)
