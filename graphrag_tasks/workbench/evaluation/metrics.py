"""Retrieval metrics: pure functions of a ranking.

A question needs gold items, numbered from 0: documents, or facts in spans of documents. A ranking is the items at each
place, best first: none, one, or several if a chunk contains several facts. A ranking of fewer than k places is no
error.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

Places = Sequence[Collection[int]]  # The gold items at each place of a ranking, best place first.


def recall_at_k(places: Places, gold: int, k: int) -> float:
    """Return the share of the `gold` items that the first k places contain."""
    return len(_found(places, gold, k)) / gold


def all_gold_at_k(places: Places, gold: int, k: int) -> float:
    """Return 1 if the first k places contain every gold item, else 0."""
    return float(len(_found(places, gold, k)) == gold)


def reciprocal_rank(places: Places, gold: int) -> float:
    """Return 1 / (first place with a gold item, from 1), or 0 without one."""
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
