"""Evaluate a sum of regression trees over arrays, read from JSON, without a training library.

A tree is nested lists: a leaf is a number, a node is `[feature, threshold, low, high]`, with `low` for values of at
most the threshold.

All trees are evaluated at once, one node of each at a time, parents first, as in QuickScorer (Lucchese et al., SIGIR
2015). Leaves are numbered from left to right; a row's state is the first leaf below its node. So a row is at a node if
its state is that node's first leaf, and going right moves it to the first leaf of the right subtree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_NOBODY_PASSES = (0, np.inf, 0, 0)  # Padding for trees with fewer nodes than the largest.


@dataclass(frozen=True)
class Forest:
    """Trees as arrays of shape (nodes of the largest tree, trees).

    Attributes:
        names: The features, in column order.
        feature: Column that each node tests.
        threshold: Rows with at most this value go left.
        first: First leaf below each node.
        right: First leaf of its right subtree.
        leaves: Shape (trees, leaves of the largest tree): value of each leaf.
    """

    names: tuple[str, ...]
    feature: NDArray[np.intp]
    threshold: NDArray[Any]
    first: NDArray[np.unsignedinteger]
    right: NDArray[np.unsignedinteger]
    leaves: NDArray[Any]

    @classmethod
    def from_json(cls, data: Mapping[str, Any], dtype: type[np.floating] = np.float32) -> Forest:
        """Build from file content, `features` and `trees`, with this number type."""
        laid_out = [_lay_out(tree) for tree in data["trees"]]
        most = max((len(nodes) for nodes, _ in laid_out), default=0)
        filled = [[*nodes, *[_NOBODY_PASSES] * (most - len(nodes))] for nodes, _ in laid_out]
        table = np.array(filled, dtype=np.float64).reshape(len(laid_out), most, 4).T
        number = np.min_scalar_type(most)  # the smaller, the more rows at once
        leaves = np.zeros((len(laid_out), most + 1), dtype=dtype)
        for row, (_, values) in zip(leaves, laid_out, strict=True):
            row[: len(values)] = values
        return cls(
            names=tuple(data["features"]),
            feature=table[0].astype(np.intp),
            threshold=table[1].astype(dtype),
            first=table[2].astype(number),
            right=table[3].astype(number),
            leaves=leaves,
        )

    def values(self, columns: NDArray[Any]) -> NDArray[Any]:
        """Return each tree's value for each row: shape (rows, features) to (trees, rows)."""
        values = np.ascontiguousarray(columns.T)
        at = np.zeros((len(self.leaves), len(columns)), dtype=self.first.dtype)
        nodes = zip(self.feature, self.threshold, self.first, self.right, strict=True)
        for feature, threshold, first, right in nodes:
            goes_right = values[feature] > threshold[:, None]
            goes_right &= at == first[:, None]
            np.maximum(at, goes_right * right[:, None], out=at)
        trees = np.arange(len(self.leaves))[:, None] * self.leaves.shape[1]
        added: NDArray[Any] = self.leaves.take(at + trees)
        return added

    def scores(self, columns: NDArray[Any]) -> NDArray[Any]:
        """Return the score of each row of a feature matrix, shape (rows, features)."""
        scores: NDArray[Any] = self.values(columns).sum(axis=0)
        return scores


_Node = tuple[int, float, int, int]


def _lay_out(tree: Any) -> tuple[list[_Node], list[float]]:  # noqa: ANN401 - JSON
    """Return a tree's nodes, parents first, and its leaves from left to right."""
    nodes: list[_Node] = []
    leaves: list[float] = []

    def place(part: Any) -> None:  # noqa: ANN401 - JSON
        if isinstance(part, (int, float)):
            leaves.append(part)
            return
        feature, threshold, low, high = part
        own, first = len(nodes), len(leaves)
        nodes.append(_NOBODY_PASSES)
        place(low)
        nodes[own] = feature, threshold, first, len(leaves)
        place(high)

    place(tree)
    return nodes, leaves
