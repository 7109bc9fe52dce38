"""What a first pass is sure of: the walk where the question names a title, words elsewhere."""

from __future__ import annotations

import numpy as np

from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.ranker.walk import Floats, Walked

_BESIDE, _SECOND, _LEAST = 0.25, 0.3, 0.1
"""Weights beside cosine and BM25, and what either side always counts."""


def beside(graph: Graph, scores: Floats) -> Floats:
    """Return the score of the better of the two chunks beside each, or 0 where it is negative."""
    documents = graph.chunk_documents
    found = np.zeros(len(scores), dtype=np.float32)
    following = np.flatnonzero(documents[1:] == documents[:-1])
    found[following] = scores[following + 1]
    found[following + 1] = np.maximum(found[following + 1], scores[following])
    at_least_zero: Floats = np.maximum(found, np.float32(0))
    return at_least_zero


def gated(walked: Walked, near: Floats) -> Floats:
    """Return the walk's score where the question names a title, and a score of words elsewhere.

    A walk from the title that a question names leads far; one from names in passing leads astray.
    So the walk counts by the rarest title named, and cosine and BM25, with what stands beside a
    chunk and the second walk, by the rest.
    """
    titled = walked.titled
    plain = walked.hybrid + _BESIDE * near + _SECOND * walked.second
    scores = (_LEAST + titled) * walked.scores + (_LEAST + 1.0 - titled) * plain
    gated_scores: Floats = scores.astype(np.float32)
    return gated_scores
