"""Measures of judged answers, computed from verdicts.

Context precision, faithfulness and answer relevancy are of RAGAS (Es et al., arXiv 2309.15217), as version 0.4 of its
package computes them; `make test-ragas` compares the two. Exact match and F1 are of SQuAD (Rajpurkar et al., arXiv
1606.05250).
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
_Z = 1.959964  # Standard deviations to either side that contain 95 % of a normal distribution.

_SIGNS = str.maketrans("", "", string.punctuation)


def relevant_share(relevant: Sequence[bool]) -> float | None:
    """Return the share of relevant passages: the paper's context precision."""
    return fmean(relevant) if relevant else None


def average_precision(relevant: Sequence[bool]) -> float | None:
    """Return the mean precision at the relevant passages' positions, as RAGAS defines it.

    `relevant` is in passage order. Without a relevant passage it is 0.
    """
    if not relevant:
        return None
    hits = np.cumsum(relevant)
    at = [hits[place] / (place + 1) for place, one in enumerate(relevant) if one]
    return float(np.mean(at)) if at else 0.0


def faithfulness(supported: Sequence[bool]) -> float | None:
    """Return the share of statements that the passages support; None without statements."""
    return fmean(supported) if supported else None


def relevancy(question: NDArray[np.float32], guessed: NDArray[np.float32], evasive: Sequence[bool]) -> float | None:
    """Return how near a question is to those guessed from its answer.

    The mean of the cosines, or 0 if the answer was always called evasive; None without guesses.

    Args:
        question: Its vector, shape (dimension,).
        guessed: Vectors of the guesses, shape (guesses, dimension).
        evasive: For each guess, whether the answer is evasive.
    """
    if not len(guessed):
        return None
    if all(evasive):
        return 0.0
    lengths = np.linalg.norm(guessed, axis=1) * np.linalg.norm(question)
    return float(np.mean(guessed @ question / lengths))


def exact_match(answer: str, reference: str) -> float:
    """Return 1 if two answers are equal except for case, punctuation and articles, else 0."""
    return float(_plain(answer) == _plain(reference))


def word_f1(answer: str, reference: str) -> float:
    """Return the F1 of an answer's words."""
    said, wanted = Counter(_plain(answer).split()), Counter(_plain(reference).split())
    if not said or not wanted:
        return float(said == wanted)
    shared = (said & wanted).total()
    return 2 * shared / (said.total() + wanted.total())


def share_interval(hits: float, size: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927), valid for small samples too."""
    if size < 1:
        raise ValueError("a share of nothing has no interval")
    share, spread = hits / size, _Z * _Z / size
    middle = (share + spread / 2) / (1 + spread)
    half = _Z * sqrt(share * (1 - share) / size + spread / size / 4) / (1 + spread)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def _plain(text: str) -> str:
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_SIGNS)).split())
