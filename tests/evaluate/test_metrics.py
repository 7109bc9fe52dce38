"""The metrics against their definitions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_tasks.evaluate import all_gold_at_k, recall_at_k, reciprocal_rank


def test_by_hand() -> None:
    ranking = ["a", "b", "c", "d"]
    assert recall_at_k(ranking, ["a", "d"], 2) == 0.5
    assert recall_at_k(ranking, ["a", "d"], 4) == 1.0
    assert recall_at_k(ranking, ["a", "a", "x"], 10) == 0.5
    assert all_gold_at_k(ranking, ["a", "d"], 3) == 0.0
    assert all_gold_at_k(ranking, ["a", "d"], 8) == 1.0
    assert reciprocal_rank(ranking, ["d", "c"]) == 1 / 3
    assert reciprocal_rank(ranking, ["x"]) == 0.0
    assert reciprocal_rank([], ["x"]) == 0.0


@given(
    ranking=st.lists(st.sampled_from("abcdefgh"), unique=True),
    gold=st.sets(st.sampled_from("abcdefgh"), min_size=1),
    k=st.integers(1, 9),
)
def test_invariants(ranking: list[str], gold: set[str], k: int) -> None:
    recall = recall_at_k(ranking, gold, k)
    assert 0.0 <= recall <= min(1.0, k / len(gold))
    assert recall <= recall_at_k(ranking, gold, k + 1)
    assert all_gold_at_k(ranking, gold, k) == float(recall == 1.0)
    assert (reciprocal_rank(ranking, gold) > 0) == (not gold.isdisjoint(ranking))


def test_not_defined_without_gold_or_places() -> None:
    for metric in (recall_at_k, all_gold_at_k):
        with pytest.raises(ValueError, match="gold"):
            metric(["a"], [], 2)
        with pytest.raises(ValueError, match="at least 1"):
            metric(["a"], ["a"], 0)
    with pytest.raises(ValueError, match="gold"):
        reciprocal_rank(["a"], [])
