"""Two encoders as one: the vectors of both, one behind the other.

Encoders that learnt from different texts err on different questions, so the mean of their cosines
finds more than either (`docs/results.md`). The joined vector is a unit vector, and its cosine is
that mean: all that is made of vectors, on disk and on servers, works with it as with any other.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.embed.protocol import Embedder, Encoded

SECOND_WEIGHT = 0.7
"""Of the second model's cosine in the mean of both; chosen on public question sets."""


class JoinedEmbedder:
    """Joins the vectors of two embedders; several threads may use it where they may use both.

    Args:
        first: The one whose vectors come first.
        second: The other.
        weight: How much the second one's cosine counts in the mean, between 0 and 1.
    """

    def __init__(self, first: Embedder, second: Embedder, weight: float) -> None:
        self._both = first, second
        self._weights = np.sqrt(np.array([1 - weight, weight], np.float32))
        self._weight = weight

    @property
    def dimension(self) -> int:
        """Length of one vector."""
        return sum(one.dimension for one in self._both)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of both spaces and their weight."""
        parts = [*(one.fingerprint for one in self._both), self._weight]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def engine(self) -> str:
        """What computes the vectors: one engine, or both."""
        return " and ".join(dict.fromkeys(one.engine for one in self._both))

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit rows of questions in their order, shape (len(texts), dimension)."""
        return self._join([one.encode(texts) for one in self._both])

    def encode_detailed(self, texts: Sequence[str]) -> Encoded:
        """Embed passages, and count the windows of both encoders.

        `windowed` is of the encoder that reads less at once.
        """
        first, second = (one.encode_detailed(texts) for one in self._both)
        return Encoded(
            self._join([first.vectors, second.vectors]),
            unique=first.unique,
            windowed=max(first.windowed, second.windowed),
            windows=first.windows + second.windows,
        )

    def _join(self, vectors: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        weighted = [weight * own for weight, own in zip(self._weights, vectors, strict=True)]
        return np.concatenate(weighted, axis=1)


def model_names(embedding: Mapping[str, Any]) -> str:
    """Return the names of the models that a manifest's `embedding` has, for people."""
    names = map(embedding.get, ("model", "second_model"))
    return " and ".join(str(name) for name in names if name)
