"""Splitting, batching and merging windows of tokens."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_tasks.embed.windows import Window, batches, merge, padded_length, split


@given(st.lists(st.integers(4, 29), max_size=60), st.integers(3, 20))
def test_windows_hold_every_token_once_and_in_order(tokens: list[int], max_tokens: int) -> None:
    windows = split(5, tokens, first=[2], last=3, max_tokens=max_tokens)
    assert [token for window in windows for token in window.tokens[1:-1]] == tokens
    for window in windows:
        assert window.text == 5
        assert window.tokens[0] == 2
        assert window.tokens[-1] == 3
        assert window.weight == len(window.tokens) - 2 <= max_tokens - 2
    assert len(windows) == max(1, -(-len(tokens) // (max_tokens - 2)))


@pytest.mark.parametrize(("tokens", "padded"), [(2, 4), (4, 4), (5, 8), (30, 30), (29, 30)])
def test_padding_follows_from_the_window_alone(tokens: int, padded: int) -> None:
    assert padded_length(tokens, longest=30) == padded


@given(st.lists(st.integers(2, 30), max_size=40), st.integers(1, 64))
def test_batches_hold_each_window_once_at_its_own_length(
    lengths: list[int], batch_tokens: int
) -> None:
    windows = [Window(index, [9] * length, length - 2) for index, length in enumerate(lengths)]
    seen: list[int] = []
    for batch in batches(windows, batch_tokens=batch_tokens, longest=32, pad_token_id=0):
        rows, length = batch.input_ids.shape
        assert rows == 1 or rows * length <= batch_tokens
        assert batch.attention_mask.sum(axis=1).tolist() == [lengths[i] for i in batch.windows]
        assert np.array_equal(batch.input_ids, 9 * batch.attention_mask)
        assert {padded_length(lengths[index], 32) for index in batch.windows} == {length}
        seen += batch.windows
    assert sorted(seen) == list(range(len(lengths)))


def test_merge_weighs_windows_by_their_tokens() -> None:
    windows = [Window(0, [], 4), Window(1, [], 3), Window(1, [], 1), Window(2, [], 0)]
    vectors = np.array([[1, 0], [1, 0], [0, 1], [0, -1]], np.float32)
    expected = np.array([[1, 0], np.array([3, 1]) / np.sqrt(10), [0, -1]])
    np.testing.assert_allclose(merge(windows, vectors, 3), expected, atol=1e-7)
