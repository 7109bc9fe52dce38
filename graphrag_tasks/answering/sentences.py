"""Score the sentences of found chunks by how well they answer the question.

A reader that was trained on single sentences reads the likeliest ones; words, and the score of the
chunk, choose these and count beside what it says.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from graphrag_tasks.core.search_modes import SearchMode
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval import ChunkHit, Context, Index, SourceSentence
from graphrag_tasks.retrieval.reranker import Passage
from graphrag_tasks.retrieval.view.arrays import Floats

_READ = 24
"""Sentences that the reader reads: half as many as stand in the chunks; with 8 a quarter of the
facts of held-out questions is lost, with all one in twenty is gained (`benchmarks/README.md`)."""

_CHUNK, _OPENING, _NEW_TERMS, _SHARED = 0.41, -1.16, 0.34, 2.0
"""Weights by which sentences are chosen for reading: log-odds of the chunk, being its first
sentence, terms that it adds to the question, and share of the question's terms. The first sentence
of a chunk is often its heading or the end of the chunk before."""

_OF_READER, _OF_CHUNK, _OF_OPENING, _OF_SHARED = 0.44, 0.13, -0.58, 2.85
"""Weights of the score, by `python -m benchmarks.training.sentences weights`."""

_BEHIND = 100.0
"""Penalty of sentences that were not read, larger than any score."""

_NEVER = 1e-4
"""Least probability used: the reranker's own range from .01 to .99."""

_SAME = 0.8
"""Jaccard similarity above which two sentences are copies."""


@dataclass(frozen=True)
class Candidate:
    """A sentence with the index of its chunk in the context, and its own in the chunk."""

    sentence: SourceSentence
    chunk: int
    position: int
    terms: frozenset[str]

    def is_copy_of(self, other: Candidate) -> bool:
        """Tell whether two sentences are near-duplicates."""
        common = len(self.terms & other.terms)
        return common >= _SAME * max(len(self.terms | other.terms), 1)


def candidates_of(index: Index, chunks: Sequence[ChunkHit]) -> list[Candidate]:
    """Return the sentences of chunks, ordered by chunk and position."""
    return [
        Candidate(sentence, place, position, frozenset(terms(sentence.text)))
        for place, hit in enumerate(chunks)
        for position, sentence in enumerate(index.sentences(hit.chunk_id))
    ]


@dataclass(frozen=True)
class Reading:
    """The sentences of a context, as they were read for its question.

    Attributes:
        candidates: The sentences.
        scores: A score for each, shape (candidates,).
        log_odds: The reader's, that the surest sentence answers; None if there is none.
    """

    candidates: Sequence[Candidate]
    scores: Floats
    log_odds: float | None

    def best_first(self) -> Iterator[int]:
        """Yield candidates by score, without copies of better ones."""
        return best_first(self.candidates, self.scores)


def read(index: Index, context: Context) -> Reading:
    """Read the likeliest sentences of a context; they come before all others."""
    candidates = candidates_of(index, context.chunks)
    if not candidates:
        return Reading((), np.empty(0, np.float32), None)
    likely, parts = _by_words(context, candidates)
    first = np.argsort(-likely, kind="stable")[:_READ]
    passages = [
        Passage(" > ".join(context.chunks[one.chunk].heading_path), one.sentence.text)
        for one in (candidates[row] for row in first)
    ]
    log_odds = index.read_sentences(context.question, passages)
    scores = likely - np.float32(_BEHIND)
    scores[first] = parts[first] + np.float32(_OF_READER) * log_odds
    return Reading(candidates, scores, float(log_odds.max()))


def _by_words(context: Context, candidates: Sequence[Candidate]) -> tuple[Floats, Floats]:
    """Return how likely sentences are to be worth reading, and their scores without the reader's.

    Both have the shape (candidates,).
    """
    asked = frozenset(terms(context.question))
    rows = [
        (
            _log_odds(context.chunks[one.chunk].score),
            float(one.position == 0),
            len(one.terms & asked) / max(len(asked), 1),
            math.log1p(len(one.terms - asked)),
        )
        for one in candidates
    ]
    weights = [[_CHUNK, _OF_CHUNK], [_OPENING, _OF_OPENING], [_SHARED, _OF_SHARED], [_NEW_TERMS, 0]]
    likely, parts = (np.array(rows, np.float32) @ np.array(weights, np.float32)).T
    return likely.copy(), parts.copy()


def best_of_each_chunk(index: Index, context: Context) -> dict[str, SourceSentence]:
    """Return the best sentence of each chunk, by chunk id.

    After a BM25 search only words count: no model is loaded.
    """
    if context.mode == SearchMode.BM25:
        candidates = candidates_of(index, context.chunks)
        scores = _by_words(context, candidates)[0] if candidates else np.empty(0, np.float32)
    else:
        reading = read(index, context)
        candidates, scores = list(reading.candidates), reading.scores
    found: dict[str, SourceSentence] = {}
    for row in np.argsort(-scores, kind="stable"):
        sentence = candidates[row].sentence
        found.setdefault(sentence.chunk_id, sentence)
    return found


def best_first(candidates: Sequence[Candidate], scores: Floats) -> Iterator[int]:
    """Yield candidates by score, without copies of better ones."""
    taken: list[Candidate] = []
    for row in np.argsort(-scores, kind="stable").tolist():
        one = candidates[row]
        if not any(one.is_copy_of(other) for other in taken):
            taken.append(one)
            yield row


def _log_odds(probability: float) -> float:
    kept = min(max(probability, _NEVER), 1 - _NEVER)
    return math.log(kept / (1 - kept))
