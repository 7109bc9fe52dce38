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
    """Vectors and how they were made.

    Attributes:
        vectors: Unit rows in the order of the texts, shape (texts, dimension).
        unique: Number of distinct texts, each of which was encoded once.
        windowed: How many of them are longer than the model reads at once: their vector is a mean.
        windows: Number of windows that went through the encoder.
    """

    vectors: NDArray[np.float32]
    unique: int
    windowed: int
    windows: int


class Embedder(Protocol):
    """Turns texts into unit vectors, so that a dot product is the cosine similarity.

    A vector depends only on the text and on what `fingerprint` covers, not on the other texts of
    the call, nor on the order of calls. So vectors may be stored by text hash and fingerprint and
    reused; where they must be equal to the last bit, also by the versions of the libraries.
    """

    @property
    def dimension(self) -> int:
        """Length of one vector."""

    @property
    def fingerprint(self) -> str:
        """Hex SHA-256 over all that defines the vector space: weights, tokenizer, settings."""

    @property
    def engine(self) -> str:
        """What computes the vectors, with its version.

        Vectors by two engines lie in one space and differ in their last bits.
        """

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit rows of questions in their order, shape (len(texts), dimension).

        There may be no texts, equal texts and empty texts.
        """

    def encode_detailed(self, texts: Sequence[str]) -> Encoded:
        """Embed passages, and count what was encoded and how."""


ENDPOINT = "endpoint"
"""Name of the embedder that sends texts to a server."""

EMBEDDERS: Registry[Embedder] = Registry(
    "embedder",
    "graphrag_tasks.embedders",
    "embed.embedder",
    {
        "local": "graphrag_tasks.embed.local:make_local_embedder",
        ENDPOINT: "graphrag_tasks.embed.endpoint:EndpointEmbedder",
    },
)
"""Factories take the settings and the client of the language model."""
