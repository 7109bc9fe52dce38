"""What an embedding backend must offer to the stages and to retrieval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.registry import Registry


@dataclass(frozen=True)
class Encoded:
    """Vectors and how they came about.

    Attributes:
        vectors: Unit rows in the order of the texts, shape (texts, dimension).
        unique: Distinct texts, each of which was encoded once.
        windowed: Distinct texts longer than the model reads at once, whose vector is a mean.
        windows: Windows that went through the encoder.
    """

    vectors: NDArray[np.float32]
    unique: int
    windowed: int
    windows: int


class Embedder(Protocol):
    """Turns texts into unit vectors, so that a dot product is the cosine similarity.

    The vector of a text depends on the text and on what `fingerprint` covers, and on nothing else:
    not on the other texts of the call, nor on the order of calls. Vectors may therefore be stored
    by text hash and fingerprint and reused; where they must be equal to the last bit, also by the
    versions of the libraries that compute them.
    """

    @property
    def dimension(self) -> int:
        """Length of one vector."""
        ...

    @property
    def fingerprint(self) -> str:
        """Hex SHA-256 over all that defines the vector space: weights, tokenizer, settings."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts.

        Args:
            texts: Any number of texts, also none; equal and empty ones are allowed.

        Returns:
            Unit rows in the order of `texts`, shape (len(texts), dimension).
        """
        ...

    def encode_detailed(self, texts: Sequence[str]) -> Encoded:
        """Embed texts as `encode` does, and say how each vector came about.

        Args:
            texts: Any number of texts, also none; equal and empty ones are allowed.
        """
        ...


EMBEDDERS: Registry[Embedder] = Registry(
    "embedder",
    "graphrag_tasks.embedders",
    "embed.embedder",
    {"local": "graphrag_tasks.embed.local:make_local_embedder"},
)
"""Factories take the settings."""
