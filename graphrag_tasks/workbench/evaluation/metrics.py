"""Retrieval metrics: pure functions of one ranking.

A question needs gold items, numbered from 0: documents, or facts in spans of documents. A ranking
is the items that each place holds, best place first: none, one, or several where a chunk holds
several facts. A ranking of fewer than k places is not an error.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

Places = Sequence[Collection[int]]
"""The gold items at each place of a ranking, best place first."""


def recall_at_k(places: Places, gold: int, k: int) -> float:
    """Return the share of the gold items, of which there are `gold`, that the first k places hold.

    Raises:
        ValueError: There is no gold item, so the share is not defined, or k is below 1.
    """
    return len(_found(places, gold, k)) / gold


def all_gold_at_k(places: Places, gold: int, k: int) -> float:
    """Return 1 when the first k places hold every gold item, else 0.

    Raises:
        ValueError: There is no gold item, or k is below 1.
    """
    return float(len(_found(places, gold, k)) == gold)


def reciprocal_rank(places: Places, gold: int) -> float:
    """Return 1 / (first place that holds a gold item, from 1), or 0 when none does.

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
