"""Windows of tokens: split texts into batches whose composition cannot change a vector.

A window's padded length follows from its own length alone, and a batch holds windows of one padded length. So each row
of a batch goes through matrices of the same inner sizes as it would alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MAX_TOKENS = 512  # Tokens of the longest window: as many as encoders of the BERT family read at once.
PADDING_MULTIPLE = 4  # Padded window lengths are multiples of this many tokens.


@dataclass(frozen=True)
class Window:
    """Consecutive tokens of a text (given by its position), special tokens included.

    `weight` is the number of the text's own tokens, the window's weight in the mean.
    """

    text: int
    tokens: Sequence[int]
    weight: int


@dataclass(frozen=True)
class Batch:
    """Windows of one padded length, as the encoder's inputs.

    Attributes:
        windows: Positions of the windows, one per row.
        input_ids: Token ids, int64, shape (rows, padded length).
        attention_mask: 1 for tokens and 0 for padding, int64, same shape.
    """

    windows: list[int]
    input_ids: NDArray[np.int64]
    attention_mask: NDArray[np.int64]


def split(text: int, tokens: Sequence[int], *, first: Sequence[int], last: int, max_tokens: int) -> list[Window]:
    """Split a text's tokens into consecutive windows; a text without tokens gets one window.

    `max_tokens` includes the tokens `first` and `last` around each window.
    """
    size = max_tokens - len(first) - 1
    pieces = [tokens[start : start + size] for start in range(0, len(tokens), size)] or [[]]
    return [Window(text, [*first, *piece, last], len(piece)) for piece in pieces]


def padded_length(tokens: int, longest: int) -> int:
    """Return a window's padded length: the next multiple, at most the encoder's longest input."""
    return min(-(-tokens // PADDING_MULTIPLE) * PADDING_MULTIPLE, longest)


def batches(windows: Sequence[Window], *, batch_tokens: int, longest: int, pad_token_id: int) -> Iterator[Batch]:
    """Group windows of equal padded length, short ones first.

    Args:
        windows: Windows of any texts.
        batch_tokens: Most tokens of a batch, padding included; a longer window goes alone.
        longest: Longest input of the encoder.
        pad_token_id: Token to pad with.
    """
    by_length: dict[int, list[int]] = {}
    for position, window in enumerate(windows):
        by_length.setdefault(padded_length(len(window.tokens), longest), []).append(position)
    for length, positions in sorted(by_length.items()):
        rows = max(1, batch_tokens // length)
        for start in range(0, len(positions), rows):
            chosen = positions[start : start + rows]
            input_ids = np.full((len(chosen), length), pad_token_id, np.int64)
            attention_mask = np.zeros((len(chosen), length), np.int64)
            for row, position in enumerate(chosen):
                tokens = windows[position].tokens
                input_ids[row, : len(tokens)] = tokens
                attention_mask[row, : len(tokens)] = 1
            yield Batch(chosen, input_ids, attention_mask)


def merge(windows: Sequence[Window], vectors: NDArray[np.float32], texts: int) -> NDArray[np.float32]:
    """Return one unit vector per text: its window's, or the weighted mean of its windows'.

    Args:
        windows: Windows in the order of their texts, at least one for each.
        vectors: Unit vectors of the windows, shape (len(windows), dimension).
        texts: Number of texts.
    """
    counts = np.bincount([window.text for window in windows], minlength=texts)
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    merged = vectors[starts]
    for text in np.flatnonzero(counts > 1):
        own = slice(int(starts[text]), int(starts[text] + counts[text]))
        weights = np.array([window.weight for window in windows[own]], np.float32)
        # Not a matrix product: its order of additions is the BLAS library's.
        total = np.add.reduce(vectors[own] * weights[:, None], axis=0)
        norm = np.sqrt(np.add.reduce(total * total))
        merged[text] = total / np.maximum(norm, np.finfo(np.float32).tiny)
    return merged
