"""Users' questions, and clusters of similar ones.

QuestionRAG ("Surfacing the structure") starts from what users ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.retrieval.view.arrays import Vectors
from graphrag_tasks.workbench.evaluation.jsonl import read_values

MOST_QUESTIONS = 10_000  # Questions read, to bound time and memory; the rest is counted.
_LEAST_COSINE = 0.4  # With the shipped encoder, half of the 25 example questions have a neighbour at this cosine.
_MOST_CLUSTERS = 200  # Most clusters, and so model requests: bounds the cost of a proposal.


class _Asked(BaseModel):
    """A line of a question file; other fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    question: str = Field(pattern=r"\S")


@dataclass(frozen=True)
class Questions:
    """Distinct questions, sorted.

    Attributes:
        texts: Each once, at most `MOST_QUESTIONS`.
        asked: Lines of the file.
        left_out: Distinct questions beyond the limit.
    """

    texts: tuple[str, ...]
    asked: int
    left_out: int = 0

    @classmethod
    def of(cls, asked: Sequence[str]) -> Questions:
        """Deduplicate questions, ignoring case and blank space."""
        found: dict[str, str] = {}
        for one in asked:
            text = " ".join(one.split())
            found.setdefault(text.casefold(), text)
        texts = sorted(found.values())
        return cls(tuple(texts[:MOST_QUESTIONS]), len(asked), max(len(texts) - MOST_QUESTIONS, 0))


def read_asked(path: str | Path) -> Questions:
    """Read a JSON lines file whose lines have at least `question`."""
    asked = [one.question for _, one in read_values(path, _Asked)]
    if not asked:
        hint = 'Give lines such as {"question": "Which table replaced VBBS?"}'
        raise ConfigError("there are no questions", str(path), hint)
    return Questions.of(asked)


def clustered(vectors: Vectors) -> list[int]:
    """Return each question's cluster number, ordered by first question.

    Leader clustering (Hartigan, "Clustering Algorithms", 1975) and one move of each question to the nearest mean: one
    pass, no randomness. `vectors` are unit vectors, shape (questions, dimension), in a fixed order.
    """
    leaders: list[int] = []
    nearest = np.zeros(len(vectors), dtype=np.int64)
    for row, vector in enumerate(vectors):
        cosines = vectors[leaders] @ vector if leaders else np.zeros(0, dtype=np.float32)
        best = int(np.argmax(cosines)) if len(cosines) else -1
        if best >= 0 and (cosines[best] >= _LEAST_COSINE or len(leaders) == _MOST_CLUSTERS):
            nearest[row] = best
        else:
            nearest[row] = len(leaders)
            leaders.append(row)
    means = np.zeros((len(leaders), vectors.shape[1]), dtype=np.float32)
    np.add.at(means, nearest, vectors)
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
    moved = np.argmax(vectors @ means.T, axis=1).tolist() if leaders else []
    numbers: dict[int, int] = {}
    return [numbers.setdefault(one, len(numbers)) for one in moved]
