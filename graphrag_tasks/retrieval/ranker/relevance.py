"""Estimate the probability that a chunk answers a question without a reranker.

Logistic regressions on the SAP questions of splits dev and tune (`benchmarks/gold`), over the first five chunks of
each, 1,635 in all: by `python -m benchmarks.training.answers`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import RankedChunk, probability

_INTERCEPT, _COSINE, _COVERAGE = -3.05, 3.30, 2.00
"""Log-odds of neither, and what a cosine of 1 and all words of the question add."""
_INTERCEPT_OF_WORDS, _COVERAGE_OF_WORDS = -1.85, 2.49  # Where the mode encodes no question, words decide alone.


def relevances(graph: Graph, question: str, chunks: Iterable[RankedChunk]) -> list[float]:
    """Return each chunk's probability to answer the question, by cosine and words."""
    read = list(chunks)
    shares = graph.lexicon.shares_held(question, np.array([chunk.row for chunk in read], np.int64))
    return [relevance(chunk.similarity, share) for chunk, share in zip(read, shares, strict=True)]


def relevance(cosine: float | None, coverage: float) -> float:
    """Return the probability that a chunk answers a question.

    `cosine` is None if the question was not encoded; `coverage` comes from `Lexicon.shares_held`.
    """
    if cosine is None:
        log_odds = _INTERCEPT_OF_WORDS + _COVERAGE_OF_WORDS * coverage
    else:
        log_odds = _INTERCEPT + _COSINE * cosine + _COVERAGE * coverage
    return probability(log_odds)
