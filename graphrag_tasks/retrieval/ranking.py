"""What a mode is given and what it gives back: row numbers and scores, no texts.

A mode is a function `rank(graph, query, config) -> Ranking`, one module each, registered in
`modes.MODES`. Texts and sources are joined afterwards, for the returned rows only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from graphrag_tasks.config import RetrievalConfig
from graphrag_tasks.retrieval.arrays import Vectors
from graphrag_tasks.retrieval.graph import Graph


@dataclass(frozen=True)
class Query:
    """One question, checked and encoded.

    Attributes:
        text: The question.
        vector: Its unit vector, shape (dimension,).
        k: Chunks wanted; relations are 2k.
        noun_phrases: Finds the noun phrases of a text; a mode that needs none never calls it.
    """

    text: str
    vector: Vectors
    k: int
    noun_phrases: Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class RankedChunk:
    """A chunk, the score it is ranked by, its cosine with the query, and its ranks by list."""

    row: int
    score: float
    similarity: float
    ranks: Mapping[str, int]


@dataclass(frozen=True)
class RankedRelation:
    """A relation and its cosine with the query."""

    row: int
    score: float


@dataclass(frozen=True)
class Seed:
    """An entity the search started from, its cosine with the query, and how it was found."""

    row: int
    score: float
    found_by: str


@dataclass(frozen=True)
class Ranking:
    """Rows a mode chose, each kind best first; notes say why something is missing."""

    chunks: Sequence[RankedChunk] = ()
    relations: Sequence[RankedRelation] = ()
    seeds: Sequence[Seed] = ()
    notes: Sequence[str] = ()


Mode = Callable[[Graph, Query, RetrievalConfig], Ranking]
