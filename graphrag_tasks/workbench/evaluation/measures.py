"""The arithmetic of judged answers: from verdicts to figures. Nothing here asks anybody.

Context precision, faithfulness and answer relevancy are of RAGAS (Es et al., arXiv 2309.15217), as
version 0.4 of its package computes them; `make test-ragas` compares the two. Exact match and F1 are
of SQuAD (Rajpurkar et al., arXiv 1606.05250).
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from math import sqrt
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_Z = 1.959964
"""Standard deviations to either side that hold 95 % of a normal distribution."""

_SIGNS = str.maketrans("", "", string.punctuation)


def relevant_share(relevant: Sequence[bool]) -> float | None:
    """Return the share of passages that are relevant, as the paper has context precision."""
    return fmean(relevant) if relevant else None


def average_precision(relevant: Sequence[bool]) -> float | None:
    """Return the mean precision at the places of the relevant passages, as RAGAS has it.

    `relevant` is in the order of the passages. Without a relevant one it is 0.
    """
    if not relevant:
        return None
    hits = np.cumsum(relevant)
    at = [hits[place] / (place + 1) for place, one in enumerate(relevant) if one]
    return float(np.mean(at)) if at else 0.0


def faithfulness(supported: Sequence[bool]) -> float | None:
    """Return the share of an answer's statements that its passages support; None without any."""
    return fmean(supported) if supported else None


def relevancy(
    question: NDArray[np.float32], guessed: NDArray[np.float32], evasive: Sequence[bool]
) -> float | None:
    """Return how near a question is to those that were guessed from its answer.

    The mean of the cosines, or 0 where the answer was called evasive each time; None where nothing
    was guessed.

    Args:
        question: Its vector, shape (dimension,).
        guessed: Those of the guesses, shape (guesses, dimension).
        evasive: Of each guess, whether the answer commits itself to nothing.
    """
    if not len(guessed):
        return None
    if all(evasive):
        return 0.0
    lengths = np.linalg.norm(guessed, axis=1) * np.linalg.norm(question)
    return float(np.mean(guessed @ question / lengths))


def exact_match(answer: str, reference: str) -> float:
    """Return 1 where two answers are the same but for case, signs and articles, else 0."""
    return float(_plain(answer) == _plain(reference))


def word_f1(answer: str, reference: str) -> float:
    """Return the harmonic mean of precision and recall of an answer's words."""
    said, wanted = Counter(_plain(answer).split()), Counter(_plain(reference).split())
    if not said or not wanted:
        return float(said == wanted)
    shared = (said & wanted).total()
    return 2 * shared / (said.total() + wanted.total())


def share_interval(hits: float, size: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927), which holds for few and for all, too.

    Raises:
        ValueError: There is nothing to take a share of.
    """
    if size < 1:
        raise ValueError("a share of nothing has no interval")
    share, spread = hits / size, _Z * _Z / size
    middle = (share + spread / 2) / (1 + spread)
    half = _Z * sqrt(share * (1 - share) / size + spread / size / 4) / (1 + spread)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def _plain(text: str) -> str:
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_SIGNS)).split())
