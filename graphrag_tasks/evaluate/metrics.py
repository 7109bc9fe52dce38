"""Retrieval metrics: pure functions of one ranking and one set of gold ids.

A ranking is a sequence of distinct ids, best first. A metric that needs k places counts the
places that are there, so a short ranking is not an error: what it lacks was not found.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence


def recall_at_k(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return the share of the gold ids among the first k: |gold ∩ ranking[:k]| / |gold|.

    With g gold ids it cannot exceed k / g: Recall@2 of a question with four is at most one half.

    Raises:
        ValueError: There is no gold id, so the share is not defined, or k is below 1.
    """
    return len(_found(ranking, gold, k)) / len(set(gold))


def all_gold_at_k(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return 1 when every gold id is among the first k, else 0.

    It is what a question whose answer joins several documents needs.

    Raises:
        ValueError: There is no gold id, or k is below 1.
    """
    return float(len(_found(ranking, gold, k)) == len(set(gold)))


def reciprocal_rank(ranking: Sequence[str], gold: Collection[str]) -> float:
    """Return 1 / (place of the first gold id, from 1), or 0 when none is in the ranking.

    Its mean over questions is the MRR.

    Raises:
        ValueError: There is no gold id.
    """
    _require_gold(gold)
    wanted = set(gold)
    return next((1 / place for place, one in enumerate(ranking, 1) if one in wanted), 0.0)


def _found(ranking: Sequence[str], gold: Collection[str], k: int) -> set[str]:
    _require_gold(gold)
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    return set(gold).intersection(ranking[:k])


def _require_gold(gold: Collection[str]) -> None:
    if not gold:
        raise ValueError("the metric is not defined without gold ids")
