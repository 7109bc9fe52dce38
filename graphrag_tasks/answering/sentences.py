"""Score the sentences of found chunks by how well they answer the question.

The score combines the cosine with the question, the chunk's log-odds, and the terms that the
sentence adds to the question: repeating it, as headings do, answers nothing. The reranker reads the
first few.
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

_READ = 8
"""Sentences that the reranker reads: more change nothing (`benchmarks/README.md`)."""

_COSINE, _CHUNK, _OPENING, _NEW_TERMS, _RERANKED = 3.12, 0.41, -1.16, 0.34, 0.15
"""Weights, by `python -m benchmarks.training.answers sentences` on the SAP questions of splits
dev and tune. The first sentence of a chunk is often its heading or the end of the chunk
before."""

_ENCODED, _SHARED = 30, 2.0
"""Sentences that are encoded, and the weight of shared question terms by which they are chosen:
with 30 nearly as many facts are found as with all (`benchmarks/README.md`)."""

_BEHIND = 100.0
"""Penalty of the other sentences, larger than any score."""

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


def sentence_scores(index: Index, context: Context, candidates: Sequence[Candidate]) -> Floats:
    """Return a score for each candidate, shape (candidates,).

    Reranked sentences come first, then encoded ones; those are chosen by words shared with the
    question, by chunk and by added terms.
    """
    plain, by_words = _scores_by_words(context, candidates)
    encoded = np.argsort(-by_words, kind="stable")[:_ENCODED]
    texts = [candidates[row].sentence.text for row in encoded]
    vectors = index.encode([context.question, *texts])
    scores = plain - np.float32(_BEHIND)
    scores[encoded] = plain[encoded] + np.float32(_COSINE) * (vectors[1:] @ vectors[0])
    first = np.argsort(-scores, kind="stable")[:_READ]
    passages = [
        Passage(" > ".join(context.chunks[one.chunk].heading_path), one.sentence.text)
        for one in (candidates[row] for row in first)
    ]
    before = scores[first].min()
    scores[first] += np.float32(_RERANKED) * index.rerank_scores(context.question, passages)
    scores[first] += max(before - scores[first].min(), 0)
    return scores


def _scores_by_words(context: Context, candidates: Sequence[Candidate]) -> tuple[Floats, Floats]:
    """Return the score parts without a model; and the same plus shared words."""
    asked = frozenset(terms(context.question))
    plain = np.array(
        [_plain_score(context, candidate, asked) for candidate in candidates], dtype=np.float32
    )
    shared = [len(candidate.terms & asked) / max(len(asked), 1) for candidate in candidates]
    return plain, plain + np.float32(_SHARED) * np.array(shared, dtype=np.float32)


def _plain_score(context: Context, candidate: Candidate, asked: frozenset[str]) -> float:
    score = _CHUNK * _log_odds(context.chunks[candidate.chunk].score)
    score += _NEW_TERMS * math.log1p(len(candidate.terms - asked))
    return score + _OPENING * (candidate.position == 0)


def best_of_each_chunk(index: Index, context: Context) -> dict[str, SourceSentence]:
    """Return the best sentence of each chunk, by chunk id.

    After a BM25 search only words count: no model is loaded.
    """
    candidates = candidates_of(index, context.chunks)
    if not candidates:
        return {}
    if context.mode == SearchMode.BM25:
        _, scores = _scores_by_words(context, candidates)
    else:
        scores = sentence_scores(index, context, candidates)
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
