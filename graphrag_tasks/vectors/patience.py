"""Requests to Milvus that are made again while they fail."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

import grpc
from pymilvus.exceptions import MilvusException
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_after_delay,
    wait_exponential,
)

from graphrag_tasks.core.errors import TransientError

log = logging.getLogger(__name__)

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 10
_FAILURES = (MilvusException, grpc.RpcError)
_Answer = TypeVar("_Answer")


def ask(request: Callable[[], _Answer], where: str, *, seconds: float) -> _Answer:
    """Return the answer to a request, which is made again while it fails.

    Args:
        request: Does no harm when it is made twice.
        where: Server and collection, for messages.
        seconds: Since the first try, after which there is no other.

    Raises:
        TransientError: The last try failed too.
    """
    tries = Retrying(
        retry=retry_if_exception_type(_FAILURES),
        stop=stop_after_delay(seconds),
        wait=wait_exponential(_FIRST_PAUSE, _LONGEST_PAUSE),
        before_sleep=_tell,
        reraise=True,
    )
    try:
        return tries(request)
    except _FAILURES as error:
        raise TransientError(
            f"Milvus does not do what it is asked: {error}",
            where,
            "Start the server; a folder can be held by one process only: end it, or wait",
        ) from error


def _tell(state: RetryCallState) -> None:
    error = state.outcome.exception() if state.outcome else None
    log.warning("Milvus: try %d failed, another follows: %s", state.attempt_number, error)


def is_no_missing_method(record: logging.LogRecord) -> bool:
    """Drop the traceback of a call that pymilvus tries and Milvus Lite does not offer.

    pymilvus asks for a timestamp on connect and does without when the answer is "not
    implemented"; the server inside this process would log an error each time.
    """
    return not (record.exc_info and isinstance(record.exc_info[1], NotImplementedError))
