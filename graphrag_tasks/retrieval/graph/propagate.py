"""Personalised PageRank over chunks and the names they hold, by sparse power iteration.

Source: Jeh and Widom, "Scaling personalized web search", WWW 2003, on the bipartite graph of
chunks and names, as in HippoRAG (Gutiérrez et al., arXiv 2405.14831).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float32]


class Walk:
    """A random surfer between chunks and names.

    From a chunk it goes to one of its names, in proportion to their weights there; from a name to
    one of its chunks likewise. Never changed once built.

    Three names of four are held by a single chunk, and from such a name the surfer can only go
    back. So two steps over one are a chance to stay, a number for each chunk, and only shared names
    are walked over.

    Args:
        weights: Shape (chunks, names): how strongly each chunk holds each name.
    """

    def __init__(self, weights: sparse.csr_matrix) -> None:
        by_name = np.asarray(weights.sum(axis=0)).ravel()
        by_chunk = np.asarray(weights.sum(axis=1)).ravel()
        from_names = weights.multiply(_inverse(by_name)[None, :]).tocsc().astype(np.float32)
        from_chunks = weights.multiply(_inverse(by_chunk)[:, None]).tocsc().astype(np.float32)
        held = np.diff(from_names.indptr)
        # In order of length, as a loop whose length seldom changes takes half the time.
        shared = np.argsort(held, kind="stable")[np.count_nonzero(held < 2) :]
        self._from_names = from_names
        self._to_chunks = from_names[:, shared]
        self._to_names = from_chunks[:, shared].T
        alone = from_chunks[:, held < 2].sum(axis=1)
        self._stays: Floats = np.asarray(alone, dtype=np.float32).ravel()

    def visits(
        self, chunks: Floats, names: Mapping[int, float], *, damping: float, steps: int
    ) -> Floats:
        """Return how often the surfer is at each chunk, shape (chunks,).

        Args:
            chunks: Shape (chunks,): how likely it starts again at each chunk.
            names: How likely it starts again at names; with the chunks they are scaled to one.
            damping: Probability that it goes on.
            steps: Steps back and forth that are taken.
        """
        total = max(float(chunks.sum()) + sum(names.values()), 1e-12)
        scale = np.float32((1.0 - damping) / total)
        damp = np.float32(damping)
        # From one kind a step leads to the other alone, so what the surfer does from the other
        # kind at the same step never meets the result, and two steps at once lose nothing.
        start = scale * chunks
        from_names = damp * scale * self._reached(names)
        at = start / np.float32(1.0 - damping)
        if steps % 2:
            at = start + from_names / np.float32(1.0 - damping)
        start += from_names
        twice = damp * damp
        stays = twice * self._stays
        for _ in range(steps // 2):
            at = start + stays * at + twice * (self._to_chunks @ (self._to_names @ at))
        visits: Floats = at
        return visits

    def _reached(self, names: Mapping[int, float]) -> Floats:
        """Return where one step from the names leads, shape (chunks,)."""
        reached = np.zeros(len(self._stays), dtype=np.float32)
        steps = self._from_names
        for name, weight in names.items():
            part = slice(*steps.indptr[name : name + 2])
            reached[steps.indices[part]] += weight * steps.data[part]
        return reached


def _inverse(sums: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)
