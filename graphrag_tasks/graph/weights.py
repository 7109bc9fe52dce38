"""How strongly an edge ties its ends: one definition for communities, retrieval and exports."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Weights = NDArray[np.float64]

_AT_ONCE = 1 << 22


def hub_damping(degrees: Rows, among: int, degree_cap: int) -> Weights:
    """Return by what an edge counts for less because an end of it has many.

    Inverse frequency, as for common words: log(1 + n / degree) over log(1 + n). Beyond the cap the
    factor shrinks with the degree besides, so that all edges of a hub together weigh no more than
    those of a node at the cap.

    Args:
        degrees: Edges of each node; none counts as one.
        among: Number of nodes that could be its neighbours, n.
        degree_cap: Degree beyond which a node is a hub.

    Returns:
        A factor for each node, above 0 and at most 1.
    """
    degrees = np.maximum(degrees, 1)
    damped: Weights = np.log1p(among / degrees) / np.log1p(max(among, 1))
    return np.minimum(damped, 1.0) * np.minimum(1.0, degree_cap / degrees)


def relation_weights(
    support: NDArray[np.floating], confidence: NDArray[np.floating], ends: Rows,
    *, entities: int, degree_cap: int,
) -> Weights:  # fmt: skip
    """Return how strongly each relation ties its ends.

    The weight grows with the logarithm of the evidence and with the joint confidence, and is damped
    for the degree of either end: log2(1 + support) × confidence × damping × damping.

    Args:
        support: Number of triples behind each relation.
        confidence: Joint confidence of each relation.
        ends: Entity rows of heads and tails, shape (relations, 2).
        entities: Number of entities.
        degree_cap: `GraphConfig.degree_cap`.
    """
    degrees = np.bincount(ends.ravel(), minlength=entities)
    damping = hub_damping(degrees, entities, degree_cap)
    weights: Weights = np.log2(1.0 + support) * confidence
    return weights * damping[ends[:, 0]] * damping[ends[:, 1]]


def mention_weights(
    support: NDArray[np.integer], entity_rows: NDArray[np.integer], *, chunks: int, degree_cap: int
) -> NDArray[np.float32]:
    """Return the weight of each mention: common entities say little about a chunk.

    Args:
        support: Mentions of the entity in the chunk.
        entity_rows: The entity of each edge.
        chunks: Number of chunks.
        degree_cap: `GraphConfig.degree_cap`.
    """
    damping = hub_damping(np.bincount(entity_rows), chunks, degree_cap)
    weights = np.empty(len(support), np.float32)
    for start in range(0, len(support), _AT_ONCE):  # they are ten times as many as relations
        part = slice(start, start + _AT_ONCE)
        weights[part] = np.log2(1.0 + support[part].astype(float)) * damping[entity_rows[part]]
    return weights
