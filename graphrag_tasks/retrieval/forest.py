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

_LEAF = -1


@dataclass(frozen=True)
class Forest:
    """Trees laid out as arrays, shape (nodes of all trees,).

    Attributes:
        names: The features, in the order of their columns.
        roots: Node that each tree begins with, shape (trees,).
        depth: Most steps from a root to a leaf.
        feature: Column that a node looks at; -1 for a leaf.
        value: Threshold of a node: rows with at most this go left; of a leaf, what it adds.
        left: Node to the left; a leaf's is itself.
        right: Node to the right; a leaf's is itself.
    """

    names: tuple[str, ...]
    roots: NDArray[np.int32]
    depth: int
    feature: NDArray[np.int32]
    value: NDArray[np.float32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Forest:
        """Build from the content of a file: `features` and `trees`."""
        nodes: list[list[float]] = []
        laid_out = [_lay_out(tree, nodes) for tree in data["trees"]]
        table = np.array(nodes, dtype=np.float64).reshape(-1, 4)
        feature, left, right = table[:, [0, 2, 3]].astype(np.int32).T
        return cls(
            names=tuple(data["features"]),
            roots=np.array([root for root, _ in laid_out], dtype=np.int32),
            depth=max((depth for _, depth in laid_out), default=0),
            feature=feature,
            value=table[:, 1].astype(np.float32),
            left=left,
            right=right,
        )

    def scores(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the score of each row of a feature matrix, shape (rows, features)."""
        rows = np.arange(len(columns))
        node = np.repeat(self.roots[:, None], len(columns), axis=1)
        for _ in range(self.depth):
            goes_left = columns[rows, self.feature[node]] <= self.value[node]
            node = np.where(goes_left, self.left[node], self.right[node])
        scores: NDArray[np.float32] = self.value[node].sum(axis=0)
        return scores


def _lay_out(tree: Any, nodes: list[list[float]]) -> tuple[int, int]:  # noqa: ANN401 - JSON
    """Append a tree's nodes, and return its root and its depth."""
    place = len(nodes)
    if isinstance(tree, (int, float)):
        nodes.append([_LEAF, tree, place, place])
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
