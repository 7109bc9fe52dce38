"""What a mode is given and what it gives back: row numbers and scores, no texts.

A mode is a function `rank(graph, query, config) -> Ranking`, one module each, registered in
`modes.MODES`. Texts and sources are joined afterwards, for the returned rows only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.retrieval.graph.fuse import top
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.sub_questions import question_parts
from graphrag_tasks.retrieval.view.arrays import Rows, Scores, Vectors

MOST_READ = 2_000
"""Characters of a question that are read: ten times those of a long one."""

MOST_CHUNKS = 1_000
"""Chunks that one search returns."""

_REST_UNREAD = f"Of the question the first {MOST_READ:,} characters were read."
_FEWER_THAN_ASKED = f"At most {MOST_CHUNKS:,} chunks are returned."


@dataclass(frozen=True)
class Query:
    """One question, checked.

    Attributes:
        text: The question.
        k: Chunks wanted; relations are 2k.
        encode: Gives the unit vectors of texts; a mode that needs none never calls it.
        noun_phrases: Finds the noun phrases of a text; a mode that needs none never calls it.
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
        """What the question asks for one after the other; none where it is of one part."""
        return question_parts(self.text)

    @cached_property
    def part_vectors(self) -> Vectors:
        """The unit vectors of the parts, shape (parts, dimension)."""
        if not self.parts:
            return np.empty((0, len(self.vector)), dtype=np.float32)
        return self.encode(self.parts)

    def best_chunks(self, scores: Scores, id_ranks: Rows, n: int | None = None) -> Rows:
        """Return the allowed chunks with the highest scores, best first; `k` of them by default."""
        n = self.k if n is None else n
        if self.allowed is None:
            return top(scores, id_ranks, n)
        rows = np.flatnonzero(self.allowed)
        return rows[top(scores[rows], id_ranks[rows], n)]


def within_bounds(question: str, k: int) -> tuple[str, int, list[str]]:
    """Return what is read of a question, the chunks that are returned, and notes on both.

    Work grows with the words of a question and with every source that is returned, so a page
    pasted into the question, or a k that means "all", would cost seconds.
    """
    notes = []
    if len(text := question.strip()) > MOST_READ:
        whole_words, _, _ = text[: MOST_READ + 1].rpartition(" ")
        question = whole_words or text[:MOST_READ]
        notes.append(_REST_UNREAD)
    if k > MOST_CHUNKS:
        k = MOST_CHUNKS
        notes.append(_FEWER_THAN_ASKED)
    return question, k, notes


def check_question(question: object, k: object) -> None:
    """Refuse what is no question, or no number of chunks.

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
    if k < 1:
        raise QueryError(f"k must be at least 1 (got {k})")


@dataclass(frozen=True)
class RankedChunk:
    """A chunk, the score it is ranked by, its cosine with the query, and its ranks by list.

    The cosine is None in a mode that does not encode the question. The path is a name in the
    question, and the names and titles by turns that lead from it to the chunk.
    """

    row: int
    score: float
    similarity: float | None
    ranks: Mapping[str, int]
    path: tuple[str, ...] = ()


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
class Path:
    """Entities and the relations between neighbours: one entity more than there are relations."""

    entities: tuple[int, ...]
    relations: tuple[int, ...]


@dataclass(frozen=True)
class RankedCommunity:
    """A community's row and what it is ranked by."""

    row: int
    score: float


@dataclass(frozen=True)
class Ranking:
    """Rows a mode chose, each kind best first; notes say why something is missing.

    Attributes:
        chunks: Chunks.
        relations: Relations.
        seeds: Entities that the search started from.
        further: What else the mode finds, by the names of `context.further`: `paths` or chains
            between entities, `listed` entities that are the whole answer, `communities`.
        notes: Why something is missing.
    """

    chunks: Sequence[RankedChunk] = ()
    relations: Sequence[RankedRelation] = ()
    seeds: Sequence[Seed] = ()
    further: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def with_more(self, *, notes: Sequence[str] = (), **lists: Any) -> Ranking:  # noqa: ANN401
        """Return it with other lists in place of its own, and further notes."""
        return replace(self, notes=[*self.notes, *notes], **lists)


Mode = Callable[[Graph, Query, RetrievalConfig], Ranking]
