"""Retrieval metrics: pure functions of what stands at each place of one ranking.

A question needs a number of gold items, counted from 0: documents, or facts that stand in spans of
documents. A ranking is given as the items that each place holds, best place first: usually none,
sometimes one, and several where a chunk holds two facts. A metric that needs k places counts the
places that are there, so a short ranking is not an error: what it lacks was not found.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

Places = Sequence[Collection[int]]
"""The gold items at each place of a ranking, best place first."""


def recall_at_k(places: Places, gold: int, k: int) -> float:
    """Return the share of the gold items that the first k places hold.

    Where every place holds one item at most, it cannot exceed k / gold: Recall@2 of a question
    that needs four documents is at most one half.

    Args:
        places: The ranking.
        gold: Number of gold items.
        k: Places looked at.

    Raises:
        ValueError: There is no gold item, so the share is not defined, or k is below 1.
    """
    return len(_found(places, gold, k)) / gold


def all_gold_at_k(places: Places, gold: int, k: int) -> float:
    """Return 1 when the first k places hold every gold item, else 0.

    It is what a question whose answer joins several facts needs.

    Raises:
        ValueError: There is no gold item, or k is below 1.
    """
    return float(len(_found(places, gold, k)) == gold)


def reciprocal_rank(places: Places, gold: int) -> float:
    """Return 1 / (first place that holds a gold item, from 1), or 0 when none does.

    Its mean over questions is the MRR.

    Raises:
        ValueError: There is no gold item.
    """
    _require_gold(gold)
    return next((1 / place for place, items in enumerate(places, 1) if items), 0.0)


def _found(places: Places, gold: int, k: int) -> set[int]:
    _require_gold(gold)
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    return set().union(*places[:k])


def _require_gold(gold: int) -> None:
    if gold < 1:
        raise ValueError("the metric is not defined without gold items")
