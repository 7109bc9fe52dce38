"""Input and output of a mode, a function `rank(graph, query, config) -> Ranking`.

A ranking has row numbers and scores; texts and sources are joined later, for returned rows only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.sub_questions import question_parts
from graphrag_tasks.retrieval.view.arrays import Rows, Scores, Vectors, top

MOST_READ = 2_000
"""Characters of a question that are read."""

MOST_CHUNKS = 1_000
"""Chunks that one search returns."""

_REST_UNREAD = f"Of the question the first {MOST_READ:,} characters were read."
_FEWER_THAN_ASKED = f"At most {MOST_CHUNKS:,} chunks are returned."


@dataclass(frozen=True)
class Query:
    """A checked question.

    Attributes:
        k: Chunks wanted; relations are 2k.
        encode: Returns the unit vectors of texts.
        noun_phrases: Returns the noun phrases of a text.
        allowed: Shape (chunks,): the chunks that may be returned; None for all.
    """

    text: str
    k: int
    encode: Callable[[Sequence[str]], Vectors]
    noun_phrases: Callable[[str], Sequence[str]]
    allowed: NDArray[np.bool_] | None = None

    @cached_property
    def vector(self) -> Vectors:
        """The question's unit vector, shape (dimension,)."""
        vector: Vectors = self.encode([self.text])[0]
        return vector

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The parts of the question; empty if it has only one."""
        return question_parts(self.text)

    @cached_property
    def part_vectors(self) -> Vectors:
        """The unit vectors of the parts, shape (parts, dimension)."""
        if not self.parts:
            return np.empty((0, len(self.vector)), dtype=np.float32)
        return self.encode(self.parts)

    def best_chunks(self, scores: Scores, id_ranks: Rows, n: int | None = None) -> Rows:
        """Return the `n` (by default `k`) allowed chunks with the highest scores, best first."""
        n = self.k if n is None else n
        if self.allowed is None:
            return top(scores, id_ranks, n)
        rows = np.flatnonzero(self.allowed)
        return rows[top(scores[rows], id_ranks[rows], n)]


def checked(question: object, k: object) -> tuple[str, int, list[str]]:
    """Return a question and a k cut to their bounds, with a note on each cut.

    Work grows with the words of a question and with k, so a page pasted into the question, or a k
    that means "all", would cost seconds.

    Raises:
        QueryError: The question is blank or no text, or k is no whole number from 1.
    """
    if not isinstance(question, str):
        raise QueryError(f"the question must be text (got {type(question).__name__})")
    if not question.strip():
        raise QueryError("the question is empty")
    try:
        question.encode()
    except UnicodeEncodeError as error:
        raise QueryError(
            f"the question is no valid text ({error.reason})", "", "Decode it as it was encoded"
        ) from error
    if not isinstance(k, Integral) or isinstance(k, bool):
        raise QueryError(f"k must be a whole number (got {k!r})")
    places = int(k)
    if places < 1:
        raise QueryError(f"k must be at least 1 (got {k})")
    notes = []
    if len(text := question.strip()) > MOST_READ:
        whole_words, _, _ = text[: MOST_READ + 1].rpartition(" ")
        question = whole_words or text[:MOST_READ]
        notes.append(_REST_UNREAD)
    if places > MOST_CHUNKS:
        notes.append(_FEWER_THAN_ASKED)
    return question, min(places, MOST_CHUNKS), notes


@dataclass(frozen=True)
class RankedChunk:
    """A chunk with its score, its cosine with the question, and its rank in each list.

    The cosine is None in a mode that does not encode the question. The path leads from a name in
    the question to the chunk, over names and titles by turns.
    """

    row: int
    score: float
    similarity: float | None
    ranks: Mapping[str, int]
    path: tuple[str, ...] = ()


def ranked_chunks(
    rows: Rows, scores: Scores, cosines: Scores | None, ranks: Iterable[Mapping[str, int]]
) -> list[RankedChunk]:
    """Return chunks by row, with scores and cosines of all chunks and the ranks of these."""
    own = scores[rows].tolist()
    similarities = [None] * len(rows) if cosines is None else cosines[rows].tolist()
    fields = zip(rows.tolist(), own, similarities, ranks, strict=True)
    return [RankedChunk(*one) for one in fields]


@dataclass(frozen=True)
class RankedRow:
    """A relation or community with its score."""

    row: int
    score: float


@dataclass(frozen=True)
class Seed:
    """An entity the search started from, its cosine with the question, and how it was found."""

    row: int
    score: float
    found_by: str


@dataclass(frozen=True)
class Path:
    """Entities and the relations between neighbours, one fewer than entities."""

    entities: tuple[int, ...]
    relations: tuple[int, ...]


@dataclass(frozen=True)
class Ranking:
    """Rows that a mode chose, best first.

    Attributes:
        seeds: Entities that the search started from.
        further: Rows of other kinds, by the names of `context.further.FURTHER`.
        notes: Why something is missing.
    """

    chunks: Sequence[RankedChunk] = ()
    relations: Sequence[RankedRow] = ()
    seeds: Sequence[Seed] = ()
    further: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def with_more(self, *, notes: Sequence[str] = (), **lists: Any) -> Ranking:  # noqa: ANN401
        """Return a copy with these lists in place of its own, and further notes."""
        return replace(self, notes=[*self.notes, *notes], **lists)


Mode = Callable[[Graph, Query, RetrievalConfig], Ranking]
