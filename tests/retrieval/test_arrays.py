"""Products of many rows with several vectors, and places in lists, are what numpy says they are."""

from __future__ import annotations

import numpy as np
import pytest

from graphrag_tasks.retrieval.ranker.hybrid import list_ranks
from graphrag_tasks.retrieval.view.arrays import all_cosines


@pytest.mark.parametrize("rows", [0, 1, 511, 512, 1300])
@pytest.mark.parametrize("several", [0, 1, 3])
def test_every_row_is_multiplied_with_every_vector(rows: int, several: int) -> None:
    numbers = np.random.default_rng(7)
    vectors = numbers.integers(-4, 5, (rows, 16)).astype(np.float32)
    asked = numbers.integers(-4, 5, (several, 16)).astype(np.float32)
    assert all_cosines(vectors, asked).tolist() == (asked @ vectors.T).tolist()


def test_a_rank_is_one_more_than_the_rows_above() -> None:
    lists = {
        "dense": np.array([0.5, 0.9, 0.5, 0.1], np.float32),
        "bm25": np.array([0.0, 0.0, 3.0, 0.0], np.float32),
    }
    assert list_ranks(lists, np.array([2, 3, 1])) == [
        {"dense": 2, "bm25": 1}, {"dense": 4, "bm25": 2}, {"dense": 1, "bm25": 2},
    ]  # fmt: skip
    assert list_ranks(lists, np.array([], dtype=np.int64)) == []
