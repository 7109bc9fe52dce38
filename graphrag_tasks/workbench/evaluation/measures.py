"""Measures: pure functions of rankings and verdicts, and their intervals.

Context precision, faithfulness and answer relevancy are of RAGAS (Es et al., arXiv 2309.15217), as version 0.4 of its
package computes them; `make test-ragas` compares the two. Exact match and F1 are of SQuAD (Rajpurkar et al., arXiv
1606.05250).
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_SIGNS = str.maketrans("", "", string.punctuation)
_Z = 1.959964  # Standard deviations to either side that contain 95 % of a normal distribution.
RESAMPLES = 10_000  # Efron and Tibshirani (1993, chapter 13) ask for at least 1,000 for an interval.
LEAST_PAIRS = 10  # Fewest pairs for a p-value: with fewer, resamples differ too little. Chosen.
_BATCH = 1_000  # Resamples drawn at once, to bound memory.
_TOLERANCE = 1e-12  # Rounding error of a mean.

Places = Sequence[Collection[int]]
"""The gold items, numbered from 0, at each place of a ranking, best first: none, one, or several where a chunk holds
several facts. A ranking of fewer than k places is no error."""


def recall_at_k(places: Places, gold: int, k: int) -> float:
    """Return the share of the `gold` items that the first k places contain."""
    return len(set().union(*places[:k])) / gold


def all_gold_at_k(places: Places, gold: int, k: int) -> float:
    """Return 1 if the first k places contain every gold item, else 0."""
    return float(recall_at_k(places, gold, k) == 1)


def reciprocal_rank(places: Places) -> float:
    """Return 1 / (first place with a gold item, from 1), or 0 without one."""
    return next((1 / place for place, items in enumerate(places, 1) if items), 0.0)


def share(verdicts: Sequence[bool]) -> float | None:
    """Return the share of relevant passages, or of supported statements; None without any."""
    return fmean(verdicts) if verdicts else None


def average_precision(relevant: Sequence[bool]) -> float | None:
    """Return the mean precision at the relevant passages' positions, as RAGAS defines it.

    `relevant` is in passage order. Without a relevant passage it is 0.
    """
    if not relevant:
        return None
    hits = np.cumsum(relevant)
    at = [hits[place] / (place + 1) for place, one in enumerate(relevant) if one]
    return float(np.mean(at)) if at else 0.0


def relevancy(question: NDArray[np.float32], guessed: NDArray[np.float32], evasive: Sequence[bool]) -> float | None:
    """Return how near a question is to those guessed from its answer.

    The mean of the cosines with the guesses' vectors, or 0 if the answer was always called evasive; None without
    guesses.
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


@dataclass(frozen=True)
class Difference:
    """The mean difference of a figure, with its 95 % interval.

    `p` is the two-sided p-value; None for fewer than `LEAST_PAIRS`.
    """

    mean: float
    low: float
    high: float
    p: float | None


def paired_bootstrap(one: Sequence[float], other: Sequence[float], *, seed: int = 0) -> Difference:
    """Compare two modes by their values for the same questions, in the same order.

    Questions are drawn with replacement as pairs of values, so that question difficulty cancels out (Efron and
    Tibshirani 1993, chapters 13 and 16). The interval is the percentile interval. p counts the resamples whose mean is
    as far from the observed mean as that is from 0; the observed one is included, so p is never 0.
    """
    if not one or len(one) != len(other):
        raise ValueError(f"the values are not paired: {len(one)} and {len(other)}")
    differences = np.asarray(one, dtype=np.float64) - np.asarray(other, dtype=np.float64)
    mean, size = float(differences.mean()), len(differences)
    generator = np.random.Generator(np.random.PCG64(seed))
    draws = range(0, RESAMPLES, _BATCH)
    means = np.concatenate([differences[generator.integers(size, size=(_BATCH, size))].mean(axis=1) for _ in draws])
    low, high = np.percentile(means, [2.5, 97.5])
    as_far = int((np.abs(means - mean) >= abs(mean) - _TOLERANCE).sum())
    p = (as_far + 1) / (RESAMPLES + 1) if size >= LEAST_PAIRS else None
    return Difference(mean, float(low), float(high), p)


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
