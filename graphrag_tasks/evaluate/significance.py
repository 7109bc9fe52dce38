"""Is the difference of two modes more than chance? The paired bootstrap over questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 10_000
_BATCH = 1_000
_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Difference:
    """The mean difference of a metric on the same questions.

    Attributes:
        mean: Mean of one mode minus mean of the other.
        low: Lower end of its 95 % interval.
        high: Upper end.
        p: Probability of a difference at least as large, of either sign, were there none.
    """

    mean: float
    low: float
    high: float
    p: float


def paired_bootstrap(
    one: Sequence[float], other: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0
) -> Difference:
    """Compare two modes by the questions they were both asked.

    Questions are drawn with replacement, as many as there are, and each takes its two values with
    it: what makes a question hard cancels out (Efron and Tibshirani 1993, chapters 13 and 16). The
    interval is that of the percentiles; p counts the resamples whose mean is as far from the
    observed mean as that is from nought, the observed one included, so it is never 0.

    Args:
        one: A value for each question.
        other: The other mode's values, in the same order.
        resamples: How often to draw.
        seed: Seed of numpy's PCG64.

    Raises:
        ValueError: There are no values, or not as many of both.
    """
    if not one or len(one) != len(other):
        raise ValueError(f"the values are not paired: {len(one)} and {len(other)}")
    differences = np.asarray(one, dtype=np.float64) - np.asarray(other, dtype=np.float64)
    mean = float(differences.mean())
    generator = np.random.Generator(np.random.PCG64(seed))
    means = np.concatenate(
        [
            differences[generator.integers(len(differences), size=(count, len(differences)))].mean(
                axis=1
            )
            for count in _batches(resamples)
        ]
    )
    low, high = np.percentile(means, [2.5, 97.5])
    as_far = int((np.abs(means - mean) >= abs(mean) - _TOLERANCE).sum())
    return Difference(mean, float(low), float(high), (as_far + 1) / (resamples + 1))


def _batches(resamples: int) -> list[int]:
    whole, rest = divmod(resamples, _BATCH)
    return [_BATCH] * whole + [rest] * bool(rest)
