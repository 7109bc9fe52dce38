"""Gradient-boosted trees as readable numbers: loaded from JSON, scored with numpy.

The file is written by `training/coref.py`, in the form of `core.forest`. The score of a row is the
sum over all trees; its logistic is a probability.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any

import numpy as np

from graphrag_tasks.core.forest import Forest

Tree = float | Sequence[Any]


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
        # Exactly rounded sums: numpy's own depend on the layout of the array.
        sums = (math.fsum(of_row) for of_row in self._forest.values(table).T.tolist())
        return [1.0 / (1.0 + math.exp(-score)) for score in sums]

    @cached_property
    def _forest(self) -> Forest:
        return Forest.from_json(self.to_json(), np.float64)

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
