"""The metrics against their definitions."""

from __future__ import annotations

from graphrag_tasks.workbench.evaluation.gold import all_gold_at_k, recall_at_k, reciprocal_rank


def test_by_hand() -> None:
    places = [{0}, set(), {1, 2}, {0}]
    assert recall_at_k(places, 4, 2) == 0.25
    assert recall_at_k(places, 4, 3) == 0.75
    assert recall_at_k(places, 3, 10) == 1.0
    assert all_gold_at_k(places, 3, 2) == 0.0
    assert all_gold_at_k(places, 3, 3) == 1.0
    assert reciprocal_rank(places[1:]) == 1 / 2
    assert reciprocal_rank([set()]) == 0.0
    assert reciprocal_rank([]) == 0.0
