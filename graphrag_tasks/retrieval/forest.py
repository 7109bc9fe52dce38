"""A sum of regression trees over arrays, read from JSON: no trainer's library is needed to rank.

One tree is nested lists: a leaf is a number, a node is `[feature, threshold, where at most the
threshold, where above]`, as in `graphrag_tasks.coref.trees`, which scores a row at a time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ANY_FEATURE = 0


@dataclass(frozen=True)
class Forest:
    """Trees laid out as arrays, shape (nodes of all trees,).

    Attributes:
        names: The features, in the order of their columns.
        roots: Node that each tree begins with, shape (trees,).
        depth: Most steps from a root to a leaf.
        feature: Column that a node looks at; of a leaf any.
        value: Threshold of a node: rows with at most this go left; of a leaf, what it adds.
        below: Shape (2 * nodes,): the nodes to the left and to the right of each; a leaf's are
            itself, so that a row that has come to its leaf stays there.
    """

    names: tuple[str, ...]
    roots: NDArray[np.intp]
    depth: int
    feature: NDArray[np.intp]
    value: NDArray[np.float32]
    below: NDArray[np.intp]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Forest:
        """Build from the content of a file: `features` and `trees`."""
        nodes: list[list[float]] = []
        laid_out = [_lay_out(tree, nodes) for tree in data["trees"]]
        table = np.array(nodes, dtype=np.float64).reshape(-1, 4)
        return cls(
            names=tuple(data["features"]),
            roots=np.array([root for root, _ in laid_out], dtype=np.intp),
            depth=max((depth for _, depth in laid_out), default=0),
            feature=table[:, 0].astype(np.intp),
            value=table[:, 1].astype(np.float32),
            below=table[:, 2:].astype(np.intp).ravel(),
        )

    def scores(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the score of each row of a feature matrix, shape (rows, features)."""
        flat = np.ascontiguousarray(columns).ravel()
        rows = np.arange(len(columns)) * columns.shape[1]
        node = np.repeat(self.roots[:, None], len(columns), axis=1)
        for _ in range(self.depth):
            goes_right = flat.take(self.feature.take(node) + rows) > self.value.take(node)
            node = self.below.take(2 * node + goes_right)
        scores: NDArray[np.float32] = self.value.take(node).sum(axis=0)
        return scores


def _lay_out(tree: Any, nodes: list[list[float]]) -> tuple[int, int]:  # noqa: ANN401 - JSON
    """Append a tree's nodes, and return its root and its depth."""
    place = len(nodes)
    if isinstance(tree, (int, float)):
        nodes.append([_ANY_FEATURE, tree, place, place])
        return place, 0
    feature, threshold, low, high = tree
    nodes.append([feature, threshold, 0, 0])
    left, left_depth = _lay_out(low, nodes)
    right, right_depth = _lay_out(high, nodes)
    nodes[place][2:] = [left, right]
    return place, 1 + max(left_depth, right_depth)


@lru_cache(maxsize=1)
def load_forest() -> Forest:
    """Return the ranking that comes with the package; `training/ranking.py` makes it."""
    file = resources.files("graphrag_tasks.retrieval") / "ranking.json"
    return Forest.from_json(json.loads(file.read_text("utf-8")))
