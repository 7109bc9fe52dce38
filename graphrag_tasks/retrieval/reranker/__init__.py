"""Reranking: the first chunks of a ranking are read together with the question."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import NamedTuple, Protocol

from graphrag_tasks.core.config import RerankConfig
from graphrag_tasks.core.registry import Registry
from graphrag_tasks.retrieval.view.arrays import Floats


class Passage(NamedTuple):
    """A chunk as a reranker reads it: the headings above it, as one line, and its text."""

    headings: str
    text: str


class Reranker(Protocol):
    """Reads a question and a passage together and says how well the passage answers it.

    Once a question was asked for, a passage keeps its score, whatever it is read with: a search
    reads its first passages in one call, and may read a few more in later ones. The score of a
    cross-encoder depends on question and passage alone; one that compares passages decides by the
    first call for a question.
    """

    @property
    def fingerprint(self) -> str:
        """Hex SHA-256 of weights, tokenizer and settings."""

    def scores(self, question: str, passages: Sequence[Passage]) -> Floats:
        """Return a score for each passage, the higher the better; log-odds of an answer."""


RERANKERS: Registry[Reranker] = Registry(
    "reranker",
    "graphrag_tasks.rerankers",
    "retrieval.rerank.reranker",
    {"local": "graphrag_tasks.retrieval.reranker.cross_encoder:make_cross_encoder"},
)
"""Factories take the settings, `RerankConfig`."""


_MAKING = Lock()  # the first searches may come from several threads at once


def make_reranker(config: RerankConfig) -> Reranker:
    """Return the configured reranker, one per process; its model is loaded on first use.

    Raises:
        ConfigError: There is no reranker of that name, or its model is not one.
    """
    with _MAKING:
        return _made(config)


@cache
def _made(config: RerankConfig) -> Reranker:
    return RERANKERS.factory(config.reranker)(config)


def forget_rerankers() -> None:
    """Let go of all rerankers that were made; each holds a model."""
    with _MAKING:
        _made.cache_clear()
