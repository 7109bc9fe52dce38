"""Gradient-boosted trees as readable numbers: loaded from JSON, scored in a few lines.

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
from importlib import resources
from typing import Any

Tree = float | Sequence[Any]


@dataclass(frozen=True, slots=True)
class Trees:
    """A sum of decision trees.

    Attributes:
        features: Names of the features, which nodes refer to by number.
        trees: The trees.
    """

    features: tuple[str, ...]
    trees: tuple[Tree, ...]

    def probability(self, values: Mapping[str, float]) -> float:
        """Return the probability of a row.

        Args:
            values: The row; it must have all features.

        Raises:
            KeyError: A feature is missing.
        """
        row = [values[name] for name in self.features]
        return 1.0 / (1.0 + math.exp(-sum(_leaf(tree, row) for tree in self.trees)))

    def to_json(self) -> dict[str, Any]:
        """Return what `from_json` reads."""
        return {"features": list(self.features), "trees": list(self.trees)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Trees:
        """Build from the content of a file."""
        return cls(tuple(data["features"]), tuple(data["trees"]))


def _leaf(tree: Tree, row: Sequence[float]) -> float:
    while not isinstance(tree, (int, float)):
        feature, threshold, low, high = tree
        tree = low if row[feature] <= threshold else high
    return float(tree)


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
    file = resources.files("graphrag_tasks.coref") / "ranking.json"
    data = json.loads(file.read_text("utf-8"))
    return Ranking(Trees.from_json(data["alone"]), Trees.from_json(data["chained"]))
