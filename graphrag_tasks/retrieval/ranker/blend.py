"""Join the learned trees' score with the scores of walks and words.

Trees and walks are good where a document is one passage about one thing, as in the sets that the
trees were grown on. In manuals, where a title names a hundred passages, they lose to words. So both
count by the ratio of documents to chunks. The other weights: `docs/retrieval.md`.
"""

from __future__ import annotations

import numpy as np

from graphrag_tasks.retrieval.graph.fuse import standardised
from graphrag_tasks.retrieval.ranker.features import FEATURES
from graphrag_tasks.retrieval.view.arrays import Floats

_LEAST = 0.1
"""Least weight of the walk where documents are passages, and of words in any case."""

_COSINE = 1.5
"""Weight of the cosine beside BM25."""

_BESIDE_WORDS = {"statement": 0.6, "heading_coverage": 0.3}
"""Weights of features that are standardised first, beside cosine and BM25."""

_FURTHER = {"second": 0.1, "again": 0.1, "beside": 0.05}
"""Weights of features that are standardised already."""

_SECOND_HOP = 0.2
_AHEAD = np.float32(1e-3)


def blended(learned: Floats, columns: Floats, *, alone: float) -> Floats:
    """Return the blend of the trees' score and the features, standardised.

    The second hop is added last and never displaces the first chunk: it adds to an answer and does
    not replace it.

    Args:
        learned: The trees' score, shape (rows,).
        columns: Shape (rows, `FEATURES`).
        alone: Documents for each chunk of the snapshot: 1 where each document is one chunk.
    """
    if not len(learned):
        return np.zeros(0, dtype=np.float32)
    of = dict(zip(FEATURES, columns.T, strict=True))
    titled = alone * float(of["titled"][0])
    words = np.float32(_COSINE) * of["dense_z"] + of["bm25_z"]
    words += sum(weight * standardised(of[name]) for name, weight in _BESIDE_WORDS.items())
    words += sum(weight * of[name] for name, weight in _FURTHER.items())
    gated = (_LEAST * alone + titled) * of["walk"] + (_LEAST + 1 - titled) * words
    both = alone * standardised(learned) + (1 - titled) * standardised(gated)
    scores: Floats = standardised(both) + np.float32(alone * _SECOND_HOP) * of["again"]
    scores[both.argmax()] = scores.max() + _AHEAD
    return scores
