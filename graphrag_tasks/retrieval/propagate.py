"""Personalised PageRank over chunks and the names they hold, by sparse power iteration.

Source: Jeh and Widom, "Scaling personalized web search", WWW 2003, on the bipartite graph of
chunks and names, as in HippoRAG (Gutiérrez et al., arXiv 2405.14831).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float32]


class Walk:
    """A random surfer between chunks and names.

    From a chunk it goes to one of its names, in proportion to their weights there; from a name to
    one of its chunks likewise. Never changed once built.

    Args:
        weights: Shape (chunks, names): how strongly each chunk holds each name.
    """

    def __init__(self, weights: sparse.csr_matrix) -> None:
        self.chunks, self.names = weights.shape
        by_name = np.asarray(weights.sum(axis=0)).ravel()
        by_chunk = np.asarray(weights.sum(axis=1)).ravel()
        self._to_chunks = weights.multiply(_inverse(by_name)[None, :]).tocsr().astype(np.float32)
        to_names = weights.multiply(_inverse(by_chunk)[:, None]).T
        self._to_names = to_names.tocsr().astype(np.float32)

    def visits(self, chunks: Floats, names: Floats, *, damping: float, steps: int) -> Floats:
        """Return how often the surfer is at each chunk, shape (chunks,).

        Args:
            chunks: Shape (chunks,): how likely it starts again at each chunk.
            names: Shape (names,): how likely it starts again at each name; together they are
                scaled to one.
            damping: Probability that it goes on.
            steps: Steps back and forth that are taken.
        """
        total = max(float(chunks.sum() + names.sum()), 1e-12)
        chunk_start = (chunks * ((1.0 - damping) / total)).astype(np.float32)
        name_start = (names * ((1.0 - damping) / total)).astype(np.float32)
        damp = np.float32(damping)
        # From one kind a step leads to the other alone, so what the surfer does from the other
        # kind at the same step never meets the result: half of the products are not needed.
        at_names = steps % 2 == 1
        at = (name_start if at_names else chunk_start) / (1.0 - damping)
        for _ in range(steps):
            step, start = (
                (self._to_chunks, chunk_start) if at_names else (self._to_names, name_start)
            )
            at = start + damp * (step @ at)
            at_names = not at_names
        visits: Floats = at
        return visits


def _inverse(sums: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)
