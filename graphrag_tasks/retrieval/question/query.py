"""Input and output of a mode, a function `rank(graph, query, config) -> Ranking`.

A ranking has row numbers and scores; texts and sources are joined later, only for returned rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.language import load_pipeline
from graphrag_tasks.language.bm25.index import are_copies
from graphrag_tasks.retrieval.graph.pinned import Graph, name_key
from graphrag_tasks.retrieval.question.router import question_parts
from graphrag_tasks.retrieval.reranker import Passage
from graphrag_tasks.retrieval.view.arrays import Floats, Scores, Vectors, standardised, top
from graphrag_tasks.retrieval.view.vector_index import Cosines
from graphrag_tasks.storage.artifacts import Rows

MOST_READ = 2_000  # Characters of a question that are read.
MOST_CHUNKS = 1_000  # Chunks that one search returns.

_TOO_FAR = np.float32(-0.8)
"""Standardised score of the first stage below which a candidate is far behind: a fifth of them. By the questions of
benchmarks/README.md, where reading them too finds as much."""

_ALWAYS_READ = 8  # Candidates that are never too far: as many chunks as a language model is given.
_AMONG_COPIES = 10  # Candidates are sought among so many times more chunks where most of the first are copies.

_LEAST_WITH_PARTS = 1.0
"""Least weight of the reranker's score where parts are read too; chosen on the SAP questions (benchmarks/README.md)."""

_REST_UNREAD = f"Of the question the first {MOST_READ:,} characters were read."
_FEWER_THAN_ASKED = f"At most {MOST_CHUNKS:,} chunks are returned."


class Reranking:
    """A reranker's scores of chunks for one question; each chunk is read once.

    Attributes:
        candidates: Number of first-stage chunks to read.
        weight: Weight of its score beside the first stage's, both standardised; at least 1 where parts are read.
        only_near: Whether candidates far behind in the first stage are skipped.
        of_part: Number of chunks read with each part of the question alone.
        scores: Scores so far, by row.
        places: First-stage place of each candidate, by row.
    """

    def __init__(
        self,
        candidates: int,
        passages: Callable[[Sequence[int]], Sequence[Passage]],
        read: Callable[[str, Sequence[Passage]], Floats],
        weight: float = 1.0,
        only_near: bool = False,
        of_part: int = 0,
    ) -> None:
        self.candidates = candidates
        self.weight = weight
        self.only_near = only_near
        self.of_part = of_part
        self.scores: dict[int, float] = {}
        self.places: dict[int, int] = {}
        self._open = passages
        self._opened: dict[int, Passage] = {}
        self._read = read
        self._of_parts: dict[tuple[str, int], float] = {}

    @property
    def relevance(self) -> dict[int, float]:
        """The probability that a chunk answers the question, by row."""
        return {row: probability(score) for row, score in self.scores.items()}

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """Return chunks as the reranker reads them; each is loaded once."""
        new = [row for row in rows if row not in self._opened]
        self._opened |= zip(new, self._open(new), strict=True)
        return [self._opened[row] for row in rows]

    def are_new(self, rows: Rows) -> NDArray[np.bool_]:
        """Tell of each chunk whether it is no near-duplicate of one before it."""
        texts = (passage.text for passage in self.passages(rows.tolist()))
        return ~np.fromiter(are_copies(texts), dtype=bool, count=len(rows))

    def of(self, question: str, rows: Rows) -> Floats:
        """Return the score of each row; rows are in first-stage order."""
        wanted = rows.tolist()
        self.places = self.places or dict(zip(wanted, range(1, len(wanted) + 1), strict=True))
        new = [row for row in wanted if row not in self.scores]
        self.scores |= zip(new, self._read(question, self.passages(new)).tolist(), strict=True)
        return np.array([self.scores[row] for row in wanted], dtype=np.float32)

    def with_parts(self, read: Floats, parts: Sequence[str], nearest: Floats, rows: Rows, id_ranks: Rows) -> Floats:
        """Return the better of each row's score and those by its nearest parts.

        Args:
            read: Standardised scores by the whole question, shape (rows,).
            parts: The parts of the question.
            nearest: Nearness of the rows to each part, shape (parts, rows).
            rows: The rows.
            id_ranks: Breaks ties; of all rows.
        """
        read = read.copy()
        for part, near in zip(parts, nearest, strict=True):
            best = top(near, id_ranks[rows], self.of_part)
            scores = standardised(self._with_part(part, rows[best].tolist()))
            read[best] = np.maximum(read[best], scores)
        return read

    def _with_part(self, part: str, rows: Sequence[int]) -> Floats:
        new = [row for row in rows if (part, row) not in self._of_parts]
        scores = self._read(part, self.passages(new)).tolist()
        self._of_parts |= zip(((part, row) for row in new), scores, strict=True)
        return np.array([self._of_parts[part, row] for row in rows], dtype=np.float32)

    def learn(self, other: Reranking | None) -> None:
        """Take over better scores from another wording of the question."""
        for row, score in other.scores.items() if other else ():
            self.scores[row] = max(score, self.scores.get(row, score))


@dataclass(frozen=True)
class Query:
    """A validated question.

    Attributes:
        k: Chunks wanted; relations are 2k.
        encode: Returns the unit vectors of texts.
        noun_phrases: Returns the noun phrases of a text.
        allowed: Shape (chunks,): the chunks that may be returned; None for all.
        last: Shape (chunks,): chunks ranked behind all others; None for none.
        reranking: Reranks the first chunks, or None.
    """

    text: str
    k: int
    encode: Callable[[Sequence[str]], Vectors]
    noun_phrases: Callable[[str], Sequence[str]]
    allowed: NDArray[np.bool_] | None = None
    last: NDArray[np.bool_] | None = None
    reranking: Reranking | None = None

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

    def reranked(self, scores: Floats, id_ranks: Rows, rows: Rows | None = None, parts: Floats | None = None) -> Floats:
        """Return scores that combine first stage and reranker, with some chunks last.

        First-stage scores are standardised over the candidates, the reranker's, times its weight, over those read.
        Other chunks follow in their order. Near-duplicates of better candidates are not read, and rank behind all that
        are.

        Args:
            scores: First-stage scores.
            id_ranks: Breaks ties.
            rows: The chunks of the scores; all by default.
            parts: Cosines with each part of the question, shape (parts, chunks). If given, the nearest candidates are
                also read with each part alone, and their best score counts.
        """
        if not len(scores):
            return scores
        rows = np.arange(len(scores)) if rows is None else rows
        scores = self._last_behind(scores, rows)
        if self.reranking is None:
            return scores
        allowed = np.arange(len(rows)) if self.allowed is None else np.flatnonzero(self.allowed[rows])
        most = self.reranking.candidates
        best = allowed[top(scores[allowed], id_ranks[rows[allowed]], _AMONG_COPIES * most)]
        if not len(best):
            return scores
        first = best[:most]
        is_new = self.reranking.are_new(rows[first])
        if 2 * is_new.sum() < len(first) < len(best):
            first, is_new = best, self.reranking.are_new(rows[best])
        apart = standardised(scores[first])
        first, apart = first[is_new][:most], apart[is_new][:most]
        if self.reranking.only_near:
            near = apart >= _TOO_FAR
            near[:_ALWAYS_READ] = True
            first, apart = first[near], apart[near]
        read = standardised(self.reranking.of(self.text, rows[first]))
        weight = self.reranking.weight
        if self.reranking.of_part and parts is not None and len(parts):
            nearest = apart + np.array([standardised(part[first]) for part in parts])
            read = standardised(self.reranking.with_parts(read, self.parts, nearest, rows[first], id_ranks))
            weight = max(weight, _LEAST_WITH_PARTS)
        both = apart + np.float32(weight) * read
        found: Floats = scores - scores.max() + (both.min() - 1)
        found[first] = both
        return self._last_behind(found, rows)

    def _last_behind(self, scores: Floats, rows: Rows) -> Floats:
        if self.last is None or not self.last[rows].any():
            return scores
        behind = scores - np.float32(np.ptp(scores) + 1)
        return np.where(self.last[rows], behind, scores)


def checked_number(name: str, value: object) -> int:
    """Return a number of chunks or characters, from 0."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 0:
        raise QueryError(f"{name} must be a whole number, at least 0 (got {value!r})")
    return int(value)


def probability(log_odds: float) -> float:
    """Return the probability of log-odds."""
    odds = math.exp(-abs(log_odds))  # never overflows
    return (odds if log_odds < 0 else 1.0) / (1 + odds)


def checked(question: object, k: object) -> tuple[str, int, list[str]]:
    """Return a question and k within their limits, with a note on each cut.

    Work grows with the words of a question and with k, so a pasted page, or a k that means "all", would cost seconds.
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

    The cosine is None if the mode does not encode the question. The path leads from a name in the question to the
    chunk, alternating names and titles.
    """

    row: int
    score: float
    similarity: float | None
    ranks: Mapping[str, int]
    path: tuple[str, ...] = ()


def ranked_chunks(
    rows: Rows, scores: Scores, cosines: Cosines | None, ranks: Iterable[Mapping[str, int]]
) -> list[RankedChunk]:
    """Return ranked chunks for rows; scores and cosines are of all chunks."""
    own = scores[rows].tolist()
    similarities = [None] * len(rows) if cosines is None else cosines.of(rows).tolist()
    fields = zip(rows.tolist(), own, similarities, ranks, strict=True)
    return [RankedChunk(*field) for field in fields]


@dataclass(frozen=True)
class RankedRow:
    """A relation or community with its score."""

    row: int
    score: float


@dataclass(frozen=True)
class Seed:
    """A seed entity, its cosine with the question, and how it was found."""

    row: int
    score: float
    found_by: str


@dataclass(frozen=True)
class Path:
    """Entities and the relations between neighbours, one fewer."""

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
        """Return a copy with some lists replaced, and notes added."""
        return replace(self, notes=[*self.notes, *notes], **lists)

    def cut(self, k: int) -> Ranking:
        """Return a copy with at most k chunks and communities, and 2k relations."""
        further = dict(self.further)
        if "communities" in further:
            further["communities"] = further["communities"][:k]
        return replace(self, chunks=self.chunks[:k], relations=self.relations[: 2 * k], further=further)


Mode = Callable[[Graph, Query, RetrievalConfig], Ranking]


# Seed entities of a question: by name or noun phrase, and the nearest by vector.

SEED_ENTITIES = 5  # Entities that are added to the named ones, the nearest by vector; as in the paper.

_COMPONENTS = ("tok2vec", "tagger", "parser", "attribute_ruler")
_DETERMINERS = {"DT", "PDT", "PRP$", "WDT", "WP$"}
_PIPELINE = Lock()  # the process shares one pipeline, and it fills shared tables while it runs


class NounPhrases:
    """Noun phrases of a text by spaCy, whose `model` is loaded on the first call.

    A noun chunk that begins with determiners, possessives or question words is returned with and without them: "the
    print server" is the entity "print server".
    """

    def __init__(self, model: str) -> None:
        self._model = model

    def __call__(self, text: str) -> list[str]:
        """Return the distinct phrases in text order."""
        phrases: dict[str, None] = {}
        with _PIPELINE:
            for chunk in load_pipeline(self._model, components=_COMPONENTS)(text).noun_chunks:
                phrases[chunk.text] = None
                start = 0
                while start < len(chunk) - 1 and chunk[start].tag_ in _DETERMINERS:
                    start += 1
                phrases[chunk[start:].text] = None
        return list(phrases)


def find_seeds(graph: Graph, query: Query) -> list[Seed]:
    """Return the seeds of the paper's Algorithm 2, each once.

    First the entities that a noun phrase names, in order of phrase and id: the whole phrase equals a display name or an
    alias but for case. Then the `SEED_ENTITIES` nearest by cosine.
    """
    if not len(graph.entities):
        return []
    rows: dict[int, str] = {}
    for phrase in query.noun_phrases(query.text):
        for row in graph.names.get(name_key(phrase), ()):
            rows.setdefault(int(row), f"noun phrase '{phrase}'")
    named = np.zeros(len(graph.entities), dtype=np.float32)
    named[list(rows)] = 1.0
    (near,) = graph.entities.vectors.cosines(query.vector[None], beside=named)
    for row in top(near.values, graph.entities.id_ranks, SEED_ENTITIES):
        rows.setdefault(int(row), "vector")
    scores = near.of(np.array(list(rows))).tolist()
    return [Seed(row, score, by) for (row, by), score in zip(rows.items(), scores, strict=True)]


@dataclass(frozen=True)
class NamedSeeds:
    """A name in the question, and its entities.

    Attributes:
        surface: The name as written in the question.
        as_name: Whether it is written with a capital letter or a digit.
        seeds: The entities, ordered by id.
    """

    surface: str
    start: int
    as_name: bool
    seeds: tuple[Seed, ...]

    @property
    def end(self) -> int:
        """One past its last character in the question."""
        return self.start + len(self.surface)

    @property
    def rows(self) -> list[int]:
        """The entities' rows."""
        return [seed.row for seed in self.seeds]


def named_seeds(graph: Graph, query: Query) -> list[NamedSeeds]:
    """Return the names of entities in a question, in order.

    Single lower-case words that are no terms count only if the question has no other name.
    """
    links = graph.linker.links(query.text)
    telling = [one for one in links if one.is_telling]
    found = []
    for link in telling or links:
        match = link.match
        surface = query.text[match.start : match.end]
        rows = sorted(link.rows, key=graph.entities.id_ranks.__getitem__)
        near = graph.entities.vectors.cosines_of(rows, query.vector).tolist()
        seeds = (Seed(row, cosine, f"name '{surface}'") for row, cosine in zip(rows, near, strict=True))
        found.append(NamedSeeds(surface, match.start, match.as_name, tuple(seeds)))
    return found
