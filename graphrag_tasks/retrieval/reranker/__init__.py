"""Rerankers: read the first chunks of a ranking together with the question.

In: a question and passages. Out: a score for each. Open `cross_encoder.py` for the default.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import NamedTuple, Protocol

from graphrag_tasks.core.config import RerankConfig
from graphrag_tasks.core.registry import Registry
from graphrag_tasks.retrieval.view.arrays import Floats


class Passage(NamedTuple):
    """A chunk as a reranker reads it: its headings on one line, and its text."""

    headings: str
    text: str


class Reranker(Protocol):
    """Reads a question and a passage together and scores how well the passage answers it.

    For a question, a passage keeps its score, whatever it is read with: a search reads its first passages in one call,
    and may read a few more later. A cross-encoder's score depends only on question and passage; a reranker that
    compares passages decides at the first call.
    """

    @property
    def fingerprint(self) -> str:
        """Hex SHA-256 of weights, tokenizer and settings."""

    def scores(self, question: str, passages: Sequence[Passage]) -> Floats:
        """Return a score for each passage, higher is better: log-odds of an answer."""


RERANKERS: Registry[Reranker] = Registry(
    "reranker",
    "graphrag_tasks.rerankers",
    "retrieval.rerank.reranker",
    {"local": "graphrag_tasks.retrieval.reranker.cross_encoder:make_cross_encoder"},
)
"""Factories take the settings, `RerankConfig`."""


_MAKING = Lock()  # the first searches may come from several threads at once


def make_reranker(config: RerankConfig) -> Reranker:
    """Return the configured reranker, one per process; its model is loaded on first use."""
    with _MAKING:
        return _made(config)


@cache
def _made(config: RerankConfig) -> Reranker:
    return RERANKERS.factory(config.reranker)(config)


def forget_rerankers() -> None:
    """Release all rerankers; each holds a model."""
    with _MAKING:
        _made.cache_clear()
