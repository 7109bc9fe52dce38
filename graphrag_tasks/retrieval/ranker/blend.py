"""What learned trees, the walks and words make of chunks together.

The trees, and the walk from a title, are good where a document is one passage about one thing, as
in the sets that the trees were grown on. In manuals, where a title names a hundred passages, trees
and walk lose to words, so both count by the share of passages that are documents of their own.
What the rest counts was chosen on questions about such documents (`docs/retrieval.md`).
"""

from __future__ import annotations

import numpy as np

from graphrag_tasks.retrieval.graph.fuse import standardised
from graphrag_tasks.retrieval.ranker.features import FEATURES
from graphrag_tasks.retrieval.ranker.walk import Floats

_LEAST = 0.1
"""What the walk counts at least among passages, and the words anywhere."""

_COSINE = 1.5
"""Weight of the cosine beside BM25."""

_BESIDE_WORDS = {"statement": 0.6, "heading_coverage": 0.3}
"""Weights beside cosine and BM25 of what is standardised for that: closest statement, headings."""

_FURTHER = {"second": 0.1, "again": 0.1, "beside": 0.05}
"""The same of lists that are: the second walk, the second hop, the better chunk beside it."""

_SECOND_HOP = 0.2
_AHEAD = np.float32(1e-3)


def blended(learned: Floats, columns: Floats, *, alone: float) -> Floats:
    """Return the trees' score beside what walk and words make of the chunks, standardised.

    What the second hop finds is added; the first chunk stays first, as a second hop adds to an
    answer and does not replace it.

    Args:
        learned: The trees' score, shape (rows,).
        columns: Shape (rows, `FEATURES`).
        alone: Documents for each chunk of the snapshot: 1 where each is one passage.
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
