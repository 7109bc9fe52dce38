"""Personalised PageRank over chunks and the names they hold, by sparse power iteration.

Source: Jeh and Widom, "Scaling personalized web search", WWW 2003, on the bipartite graph of
chunks and names, as in HippoRAG (Gutiérrez et al., arXiv 2405.14831).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import sparse

from graphrag_tasks.retrieval.view.arrays import Floats


class Walk:
    """A random surfer between chunks and names; never changed once built.

    It goes from a chunk to one of its names, in proportion to the weights there, and from a name to
    one of its chunks likewise. Three of four names have a single chunk, and from such a name the
    surfer can only go back: two steps over it are a chance to stay, and only shared names are
    walked over.

    Args:
        weights: Shape (chunks, names): weight of each edge.
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
            chunks: Shape (chunks,): weight of a restart at each chunk.
            names: Weight of a restart at names; all weights are scaled to a sum of 1.
            damping: Probability of no restart.
            steps: Number of steps.
        """
        total = max(float(chunks.sum()) + sum(names.values()), 1e-12)
        scale = np.float32((1.0 - damping) / total)
        damp = np.float32(damping)
        # A step from chunks leads to names only, so two steps can be taken at once.
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
        return at

    def _reached(self, names: Mapping[int, float]) -> Floats:
        """Return the weight that one step from the names brings to each chunk."""
        reached = np.zeros(len(self._stays), dtype=np.float32)
        steps = self._from_names
        for name, weight in names.items():
            part = slice(*steps.indptr[name : name + 2])
            reached[steps.indices[part]] += weight * steps.data[part]
        return reached


def _inverse(sums: Floats) -> Floats:
    return np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)
