"""Select the candidates that add most coverage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from graphrag_tasks.retrieval.view.arrays import Vectors

Encode = Callable[[list[str]], Vectors]
"""Returns unit vectors of texts."""

CandidateT = TypeVar("CandidateT")


@dataclass(frozen=True)
class Support(Generic[CandidateT]):
    """A candidate, and what it covers.

    Attributes:
        needs: Indexes of the question needs that it serves.
        triples: Number of the graph's triples that have it.
        clusters: Number of clusters that it was proposed for.
    """

    candidate: CandidateT
    needs: frozenset[int]
    triples: int
    clusters: int

    @property
    def is_weak(self) -> bool:
        """Whether only one cluster names it, and at most one question and triple support it."""
        return self.clusters == 1 and self.triples < _SECOND and len(self.needs) < _SECOND


_SECOND = 2
"""Triples, or questions, from which support is not chance."""


def selected(
    found: Mapping[str, Support[CandidateT]], *, needs: int, triples: int, most: int
) -> tuple[list[str], dict[str, str]]:
    """Return the kept names by gain, and the reasons for the others.

    Greedy maximum coverage (Nemhauser, Wolsey and Fisher, 1978), weighing needs and triples
    equally. Weak candidates are kept only for needs that nothing else covers.
    """
    kept: list[str] = []
    covered: frozenset[int] = frozenset()
    left = dict(found)
    least = ""

    def gain(name: str) -> float:
        one = left[name]
        new = len(one.needs - covered) / max(needs, 1)
        return new if one.is_weak else new + one.triples / max(triples, 1)

    while left and len(kept) < most:
        best = min(left, key=lambda name: (-gain(name), name))
        if gain(best) <= 0:
            break
        least = f"'{best}', the last one kept, adds {gain(best):.1%}"
        covered |= left.pop(best).needs
        kept.append(best)
    why = {}
    for name, one in left.items():
        if not one.triples:
            why[name] = "no triple of the graph has it"
        elif one.is_weak and gain(name) <= 0:
            why[name] = "one cluster alone names it, and one triple has it"
        else:
            why[name] = f"adds {gain(name):.1%} of questions and triples; {least}"
    return kept, why


def nearest(names: list[str], known: list[str], encode: Encode, least: float) -> dict[str, str]:
    """Return the nearest known name of each name with a cosine of at least `least`."""
    if not names or not known:
        return {}
    cosines = encode(names) @ encode(known).T
    best = np.argmax(cosines, axis=1).tolist()
    return {
        name: known[place]
        for row, (name, place) in enumerate(zip(names, best, strict=True))
        if cosines[row, place] >= least
    }
