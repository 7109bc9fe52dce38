"""Two encoders joined: their weighted vectors are concatenated.

Encoders trained on different texts err on different questions, so the mean of their cosines finds more than either
(`docs/results.md`). The joined vector is a unit vector whose cosine is that mean, so everything that stores or searches
vectors works unchanged.
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

SECOND_WEIGHT = 0.7  # Of the second model's cosine in the mean of both; chosen on public question sets.


class JoinedEmbedder:
    """Joins the vectors of two embedders; thread-safe if both embedders are.

    Args:
        first: The embedder whose vectors come first.
        second: The other embedder.
        weight: Weight of the second cosine in the mean, between 0 and 1.
    """

    def __init__(self, first: Embedder, second: Embedder, weight: float) -> None:
        self._both = first, second
        self._weights = np.sqrt(np.array([1 - weight, weight], np.float32))
        self._weight = weight

    @property
    def dimension(self) -> int:
        """Length of the joined vector."""
        return sum(one.dimension for one in self._both)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of both embedders' fingerprints and the weight."""
        parts = [*(one.fingerprint for one in self._both), self._weight]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def engine(self) -> str:
        """The engine or engines that compute the vectors."""
        return " and ".join(dict.fromkeys(one.engine for one in self._both))

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of questions as rows, shape (len(texts), dimension)."""
        return self._join([one.encode(texts) for one in self._both])

    def encode_detailed(self, texts: Sequence[str]) -> Encoded:
        """Embed passages, and count the windows of both encoders.

        `windowed` counts for the encoder with the shorter input.
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
    """Return the model names in a manifest's `embedding`, for display."""
    names = map(embedding.get, ("model", "second_model"))
    return " and ".join(str(name) for name in names if name)
