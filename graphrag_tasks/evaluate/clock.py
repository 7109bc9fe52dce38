"""The time that searches take, with the query encoder's share measured separately."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.embed.protocol import Embedder, Encoded

_MILLISECONDS = 1000


@dataclass(frozen=True)
class Times:
    """Milliseconds on the wall clock, and of CPU over all threads of the process."""

    wall: float
    cpu: float

    def __sub__(self, other: Times) -> Times:
        """Subtract both times."""
        return Times(self.wall - other.wall, self.cpu - other.cpu)

    def __add__(self, other: Times) -> Times:
        """Add both times."""
        return Times(self.wall + other.wall, self.cpu + other.cpu)


def now() -> Times:
    """Return the clocks; only differences mean something."""
    return Times(time.perf_counter() * _MILLISECONDS, time.process_time() * _MILLISECONDS)


class TimedEmbedder:
    """An embedder that sums up in `spent` the time that `encode` takes."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.spent = Times(0.0, 0.0)

    @property
    def dimension(self) -> int:
        """Length of one vector."""
        return self._embedder.dimension

    @property
    def fingerprint(self) -> str:
        """Hash of the vector space."""
        return self._embedder.fingerprint

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts and count the time."""
        started = now()
        vectors = self._embedder.encode(texts)
        self.spent += now() - started
        return vectors

    def encode_detailed(self, texts: Sequence[str]) -> Encoded:
        """Embed texts without counting the time: searches do not call this."""
        return self._embedder.encode_detailed(texts)
