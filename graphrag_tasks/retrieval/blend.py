"""What learned trees, the walks and words make of chunks together.

The trees, and the walk from a title, are good where a document is one passage about one thing, as
in the sets that the trees were grown on. In manuals, where a title names a hundred passages, trees
and walk lose to words, so both count by the share of passages that are documents of their own.
What words count was chosen on questions about such documents (`docs/retrieval.md`).
"""

from __future__ import annotations

import numpy as np

from graphrag_tasks.retrieval.features import FEATURES
from graphrag_tasks.retrieval.fuse import standardised
from graphrag_tasks.retrieval.walk import Floats

_LEAST = 0.1
"""What the walk and the words always count."""

_STATEMENT, _HEADINGS, _AGAIN = 0.6, 0.3, 0.1
"""Weights beside cosine and BM25 of what a chunk states, of its headings, and of the second hop."""

_BESIDE, _SECOND = 0.25, 0.3
"""The same of the chunks beside it and of the second walk, where a question has one part."""

_SECOND_OF_PARTS = 0.1
"""Of the second walk where it has several: what is close to the best answers the same part."""

_SECOND_HOP = 0.2
_AHEAD = np.float32(1e-3)


def blended(learned: Floats, columns: Floats, *, alone: float, in_parts: bool) -> Floats:
    """Return the trees' score beside what walk and words make of the chunks, standardised.

    What the second hop finds is added; the first chunk stays first, as a second hop adds to an
    answer and does not replace it.

    Args:
        learned: The trees' score, shape (rows,).
        columns: Shape (rows, `FEATURES`).
        alone: Documents for each chunk of the snapshot: 1 where each is one passage.
        in_parts: Whether the question has several parts.
    """
    if not len(learned):
        return np.zeros(0, dtype=np.float32)
    of = dict(zip(FEATURES, columns.T, strict=True))
    titled = alone * float(of["titled"][0])
    gated = (_LEAST + titled) * of["walk"] + (_LEAST + 1 - titled) * _words(of, in_parts=in_parts)
    both = alone * standardised(learned) + (1 - titled) * standardised(gated)
    scores: Floats = standardised(both) + np.float32(alone * _SECOND_HOP) * of["again"]
    scores[both.argmax()] = scores.max() + _AHEAD
    return scores


def _words(of: dict[str, Floats], *, in_parts: bool) -> Floats:
    near = _SECOND_OF_PARTS * of["second"]
    if not in_parts:
        near = _SECOND * of["second"] + _BESIDE * of["beside"]
    words: Floats = (
        of["dense_z"] + of["bm25_z"] + near + _AGAIN * of["again"]
        + _STATEMENT * standardised(of["statement"])
        + _HEADINGS * standardised(of["heading_coverage"])
    )  # fmt: skip
    return words
