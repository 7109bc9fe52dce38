"""Choose chunks one after the other so that the first places answer all parts of a question.

Each chunk is chosen by its score and by the part of the question that it answers best. A part that
a chunk was chosen for counts less for the next one, so that the next place does not say the same
again. Where several things are asked, further chunks of a document count less too: what is asked
together often stands in several documents.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.retrieval.view.arrays import Floats, Rows

_PLACES = 20
"""Places that are given one after the other; the chunks behind them follow by their scores."""

_PART, _ANSWERED = np.float32(0.4), np.float32(0.5)
"""Weight of a part beside the score, and the factor for each time it is answered."""

_SAME_DOCUMENT = np.float32(0.2)
"""What a document's other chunks lose each time one is chosen, where several things are asked."""


def diversified(
    scores: Floats,
    parts: Floats,
    weights: Sequence[float],
    documents: Rows,
    allowed: NDArray[np.bool_] | None = None,
) -> Floats:
    """Return scores by which the first places answer all parts of a question.

    Chosen chunks stand a whole number apart above the others, which keep their scores. Without
    parts, all scores stay.

    Args:
        scores: Standardised, shape (chunks,).
        parts: Standardised cosines with each part, shape (parts, chunks).
        weights: From `part_weights`.
        documents: The document of each chunk, shape (chunks,).
        allowed: Shape (chunks,): the chunks that may be chosen; None for all.
    """
    if not len(parts):
        return scores
    answers_to = np.array(weights, dtype=np.float32)[:, None] * parts
    left = np.full(len(parts), _PART, dtype=np.float32)
    open_rows = np.ones(len(scores), dtype=bool) if allowed is None else allowed.copy()
    places = min(_PLACES, int(open_rows.sum()))
    remaining, covered = scores.copy(), scores.copy()
    again = _SAME_DOCUMENT if sum(weight == 1 for weight in weights) > 1 else np.float32(0)
    above = scores.max(initial=0.0) + np.arange(places, 0, -1, dtype=np.float32)
    for place in range(places):
        answers = (left[:, None] * answers_to).max(axis=0) if place else 0
        row = int(np.where(open_rows, remaining + answers, -np.inf).argmax())
        covered[row] = above[place]
        open_rows[row] = False
        remaining[documents == documents[row]] -= again
        left[answers_to[:, row].argmax()] *= _ANSWERED
    return covered
