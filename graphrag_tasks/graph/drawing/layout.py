"""Node positions of a picture: the same graph always has the same positions.

Each connected component is laid out by itself (Kamada and Kawai, "An algorithm for drawing general undirected graphs",
1989, in igraph's version, which starts from a circle, not at random). Nodes are pushed apart until their labels are
readable. Then the components are placed side by side.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]  # Coordinates, shape (nodes, 2).

_ROUNDS = 400
_PUSH = 0.55
_GAP = 60.0
"""Most rounds, share of an overlap that each of two boxes moves per round, and pixels between components. Chosen."""


def lay_out(ends: NDArray[np.int64], boxes: Points, *, edge_length: float) -> Points:
    """Return the centre of each node's box.

    `ends` are the node rows of each edge, shape (edges, 2); `boxes` are the width and height of each node with its
    label, shape (nodes, 2).
    """
    import igraph

    graph = igraph.Graph(n=len(boxes), edges=ends).simplify()
    parts = sorted(graph.connected_components(), key=lambda part: (-len(part), part[0]))
    points = np.zeros((len(boxes), 2))
    placed: list[tuple[list[int], Points]] = []
    for part in parts:
        subgraph = graph.induced_subgraph(part)
        circle = igraph.Layout(_circle(len(part)))
        found = np.array(subgraph.layout_kamada_kawai(seed=circle).coords).reshape(-1, 2)
        own = _apart(found * _scale(found, subgraph.get_edgelist(), edge_length), boxes[part])
        placed.append((part, own))
    for part, own in _shelved(placed, boxes):
        points[part] = own
    return points


def _circle(count: int) -> list[tuple[float, float]]:
    angles = 2 * np.pi * np.arange(count) / max(count, 1)
    return [(float(np.cos(angle)), float(np.sin(angle))) for angle in angles]


def _scale(points: Points, edges: Sequence[tuple[int, int]], edge_length: float) -> float:
    if not edges:
        return edge_length
    heads, tails = np.array(edges).T
    lengths = np.hypot(*(points[heads] - points[tails]).T)
    return edge_length / max(float(np.median(lengths)), 1e-6)


def _apart(points: Points, boxes: Points) -> Points:
    """Push overlapping boxes apart, along the shorter way."""
    points = points.copy()
    for _ in range(_ROUNDS):
        between = points[:, None, :] - points[None, :, :]
        overlap = (boxes[:, None, :] + boxes[None, :, :]) / 2 - np.abs(between)
        touching = (overlap > 0).all(axis=2) & ~np.eye(len(points), dtype=bool)
        if not touching.any():
            break
        sideways = overlap[:, :, 0] < overlap[:, :, 1]
        order = np.arange(len(points))
        later = np.sign(order[:, None] - order[None, :]).astype(np.float64)
        for axis, along in ((0, sideways), (1, ~sideways)):
            away = np.where(between[:, :, axis] == 0, later, np.sign(between[:, :, axis]))
            push = np.where(touching & along, away * overlap[:, :, axis], 0.0)
            points[:, axis] += _PUSH * push.sum(axis=1) / np.maximum(touching.sum(axis=1), 1)
    return points


def _shelved(parts: Sequence[tuple[list[int], Points]], boxes: Points) -> Sequence[tuple[list[int], Points]]:
    """Place components in rows, no row wider than the first component or a square."""
    extents = [(points - boxes[part] / 2).min(axis=0) for part, points in parts]
    sizes = [
        (points + boxes[part] / 2).max(axis=0) - extent for (part, points), extent in zip(parts, extents, strict=True)
    ]
    area = sum(float(size.prod()) for size in sizes)
    width = max([float(np.sqrt(1.6 * area)), *(float(size[0]) for size in sizes)], default=0.0)
    moved, x, y, tallest = [], 0.0, 0.0, 0.0
    for (part, points), extent, size in zip(parts, extents, sizes, strict=True):
        if x and x + size[0] > width:
            x, y, tallest = 0.0, y + tallest + _GAP, 0.0
        moved.append((part, points - extent + np.array([x, y])))
        x, tallest = x + float(size[0]) + _GAP, max(tallest, float(size[1]))
    return moved
