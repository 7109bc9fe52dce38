"""Gradient-boosted trees as readable numbers: loaded from JSON, scored with numpy.

The file is written by `training/coref.py`. One tree is nested lists: a leaf is a number, a node is
`[feature, threshold, where at most the threshold, where above]`. The score of a row is the sum
over all trees; its logistic is a probability.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Tree = float | Sequence[Any]


class _Nodes(NamedTuple):
    """All nodes of all trees as columns; a leaf leads to itself whatever the row holds."""

    roots: NDArray[np.int64]
    features: NDArray[np.int64]
    thresholds: NDArray[np.float64]
    steps: NDArray[np.int64]
    """Where a row goes: two numbers for each node, at most the threshold and above."""
    values: NDArray[np.float64]
    depth: int


@dataclass(frozen=True)
class Trees:
    """A sum of decision trees.

    Attributes:
        features: Names of the features, which nodes refer to by number.
        trees: The trees.
    """

    features: tuple[str, ...]
    trees: tuple[Tree, ...]

    def probabilities(self, rows: Sequence[Mapping[str, float]]) -> list[float]:
        """Return the probability of each row; it does not depend on the other rows.

        Args:
            rows: The rows; they must have all features.

        Raises:
            KeyError: A feature is missing.
        """
        if not rows:
            return []
        table = np.array([[row[name] for name in self.features] for row in rows], dtype=float)
        nodes = self._nodes
        lines = np.arange(len(rows))[:, None]
        places = np.broadcast_to(nodes.roots, (len(rows), len(nodes.roots)))
        for _ in range(nodes.depth):
            above = table[lines, nodes.features[places]] > nodes.thresholds[places]
            places = nodes.steps[2 * places + above]
        # Exactly rounded sums: numpy's own depend on the layout of the array.
        return [1.0 / (1.0 + math.exp(-math.fsum(row))) for row in nodes.values[places].tolist()]

    @cached_property
    def _nodes(self) -> _Nodes:
        columns: list[list[Any]] = [[], [], [], [], []]
        roots, features, thresholds, steps, values = columns

        def add(tree: Tree) -> tuple[int, int]:
            """Append a tree; return its number and its depth."""
            number = len(values)
            node, value = ((0, 0.0), tree) if isinstance(tree, (int, float)) else (tree, 0.0)
            feature, threshold, *branches = node
            features.append(feature)
            thresholds.append(threshold)
            steps.extend((number, number))
            values.append(value)
            below = [add(branch) for branch in branches]
            steps[2 * number : 2 * number + len(below)] = [child for child, _ in below]
            return number, 1 + max((depth for _, depth in below), default=-1)

        depth = 0
        for tree in self.trees:
            root, height = add(tree)
            roots.append(root)
            depth = max(depth, height)
        return _Nodes(
            np.array(roots, np.int64),
            np.array(features, np.int64),
            np.array(thresholds, np.float64),
            np.array(steps, np.int64),
            np.array(values, np.float64),
            depth,
        )

    def to_json(self) -> dict[str, Any]:
        """Return what `from_json` reads."""
        return {"features": list(self.features), "trees": list(self.trees)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Trees:
        """Build from the content of a file."""
        return cls(tuple(data["features"]), tuple(data["trees"]))


@dataclass(frozen=True, slots=True)
class Ranking:
    """The two passes that rank the candidates of personal pronouns.

    Attributes:
        alone: First pass: each pronoun by itself.
        chained: Second pass: with what the first pass says of the other pronouns.
    """

    alone: Trees
    chained: Trees


@functools.cache
def load_ranking() -> Ranking:
    """Return the ranking that comes with the package."""
    file = resources.files(__package__) / "ranking.json"
    data = json.loads(file.read_text("utf-8"))
    return Ranking(Trees.from_json(data["alone"]), Trees.from_json(data["chained"]))
