"""The interface of an embedding backend, for the stages and for retrieval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.registry import Registry


@dataclass(frozen=True)
class Encoded:
    """Vectors and encoding statistics.

    Attributes:
        vectors: Unit vectors in the order of the texts, shape (texts, dimension).
        unique: Number of distinct texts, each of which was encoded once.
        windowed: Number of those longer than the model's input: their vector is a mean.
        windows: Number of windows that were encoded.
    """

    vectors: NDArray[np.float32]
    unique: int
    windowed: int
    windows: int


class Embedder(Protocol):
    """Turns texts into unit vectors, so that a dot product is the cosine similarity.

    A vector depends only on the text and on what `fingerprint` covers, not on the other texts of the call or the order
    of calls. So vectors may be stored by text hash and fingerprint and reused; where they must be bit-identical, also
    by library versions.
    """

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def fingerprint(self) -> str:
        """Hex SHA-256 of all that defines the vector space: weights, tokenizer, settings."""

    @property
    def engine(self) -> str:
        """The engine that computes the vectors, with its version.

        Vectors of two engines share a space and differ in their last bits.
        """

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of questions as rows, shape (len(texts), dimension).

        The list may be empty, and texts may be equal or empty.
        """

    def encode_detailed(self, texts: Sequence[str]) -> Encoded:
        """Embed passages, and count texts and windows."""


ENDPOINT = "endpoint"  # Name of the embedder that sends texts to a server.

EMBEDDERS: Registry[Embedder] = Registry(
    "embedder",
    "graphrag_tasks.embedders",
    "embed.embedder",
    {
        "local": "graphrag_tasks.embed.local:make_local_embedder",
        ENDPOINT: "graphrag_tasks.embed.endpoint:EndpointEmbedder",
    },
)
"""Factories of embedders; each takes the settings and the language model's client."""
