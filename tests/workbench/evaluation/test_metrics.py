"""The metrics against their definitions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_tasks.workbench.evaluation import all_gold_at_k, recall_at_k, reciprocal_rank


def test_by_hand() -> None:
    places = [{0}, set(), {1, 2}, {0}]
    assert recall_at_k(places, 4, 2) == 0.25
    assert recall_at_k(places, 4, 3) == 0.75
    assert recall_at_k(places, 3, 10) == 1.0
    assert all_gold_at_k(places, 3, 2) == 0.0
    assert all_gold_at_k(places, 3, 3) == 1.0
    assert reciprocal_rank(places[1:], 3) == 1 / 2
    assert reciprocal_rank([set()], 1) == 0.0
    assert reciprocal_rank([], 1) == 0.0


@given(
    places=st.lists(st.sets(st.integers(0, 3), max_size=2)),
    k=st.integers(1, 9),
)
def test_invariants(places: list[set[int]], k: int) -> None:
    recall = recall_at_k(places, 4, k)
    assert 0.0 <= recall <= min(1.0, 2 * k / 4)
    assert recall <= recall_at_k(places, 4, k + 1)
    assert all_gold_at_k(places, 4, k) == float(recall == 1.0)
    assert (reciprocal_rank(places, 4) > 0) == any(places)


def test_not_defined_without_gold_or_places() -> None:
    for metric in (recall_at_k, all_gold_at_k):
        with pytest.raises(ValueError, match="gold"):
            metric([{0}], 0, 2)
        with pytest.raises(ValueError, match="at least 1"):
            metric([{0}], 1, 0)
    with pytest.raises(ValueError, match="gold"):
        reciprocal_rank([], 0)
