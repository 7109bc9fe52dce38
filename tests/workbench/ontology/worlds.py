"""What questions and a graph have, made by hand, and an encoder without opinions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np

from graphrag_tasks.retrieval.ranker.path_query import Pattern
from graphrag_tasks.retrieval.view.arrays import Vectors
from graphrag_tasks.workbench.ontology.consolidate import Consolidated, consolidated
from graphrag_tasks.workbench.ontology.drafts import Drafts
from graphrag_tasks.workbench.ontology.facts import Fact
from graphrag_tasks.workbench.ontology.gathering import Gathered, Need

_DIMENSION = 64


def encode(texts: Sequence[str]) -> Vectors:
    """Unit vectors that are equal for equal texts, and nearly orthogonal for others."""
    rows = []
    for text in texts:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        row = np.random.default_rng(seed).standard_normal(_DIMENSION)
        rows.append(row / np.linalg.norm(row))
    return np.array(rows, dtype=np.float32).reshape(len(texts), _DIMENSION)


def fact(relation: str, head: str = "", tail: str = "", name: str = "A") -> Fact:
    return Fact("c", "d", relation, "h", "t", name, "B", head, tail)


def need(
    *facts: Fact, cluster: int = 0, named: Iterable[tuple[str, str]] = (), question: str = "?"
) -> Need:
    return Need(question, cluster, tuple(named), facts, facts)


def world(needs: Sequence[Need], patterns: Iterable[tuple[str, str, str, int]]) -> Gathered:
    found = tuple(Pattern(*one) for one in patterns)
    return Gathered(tuple(needs), found)


def made(
    drafts: Drafts,
    gathered: Gathered,
    *,
    labels: dict[str, str] | None = None,
    most_types: int = 30,
    most_relations: int = 60,
) -> Consolidated:
    known = labels or {}

    def labels_of(name: str) -> list[str]:
        return [known[name]] if name in known else []

    return consolidated(
        drafts, gathered, labels_of, encode,
        most_types=most_types, most_relations=most_relations,
    )  # fmt: skip
