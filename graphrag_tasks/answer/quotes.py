"""Sentences of the first chunks that answer a question, with what stands beside them.

Each sentence is scored by its cosine with the question, by the log-odds of its chunk, and by the
terms that it adds to the question: a sentence that only repeats it, such as a heading, answers
nothing. The reranker reads the first few. Each chosen sentence brings its neighbours, and no
sentence is quoted twice.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from graphrag_tasks.answer.reply import AnswerSentence, Citation
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval import ChunkHit, Context, Index, SourceSentence
from graphrag_tasks.retrieval.question.sub_questions import question_parts
from graphrag_tasks.retrieval.reranker import Passage
from graphrag_tasks.retrieval.view.arrays import Floats

QUOTED = 3
"""Sentences that are chosen, each with its neighbours."""

_READ = 8
"""First sentences that the reranker reads: more of them change nothing (`docs/results.md`)."""

_COSINE, _CHUNK, _NEW_TERMS, _REREAD = 3.0, 0.4, 0.34, 0.18
_OPENING = -0.84
"""Weights, by a logistic regression on the SAP questions of splits dev and tune. The sentence that
opens a chunk is often its heading or the end of the chunk before."""

_NEVER = 1e-4
"""Least probability that counts: the reranker's own go from .01 to .99."""

_BEFORE, _AFTER = 1, 2
"""Neighbours that are quoted: what "it" refers to stands before, the rest of an answer after."""

_LEAST_WORDS = 3

_SAME = 0.8
"""Share of common terms above which two sentences are one, as in copies of a page."""


@dataclass(frozen=True)
class _Candidate:
    sentence: SourceSentence
    chunk: int
    position: int
    terms: frozenset[str]


def quotes(index: Index, context: Context, wanted: int = QUOTED) -> tuple[AnswerSentence, ...]:
    """Return the sentences that answer a question best, in reading order.

    A question for several things gets one quotation from each chunk at most, as what is asked
    together often stands in several documents.
    """
    candidates = list(_candidates(index, context.chunks))
    if not candidates:
        return ()
    several = len(question_parts(context.question)) > 1
    scores = _scores(index, context, candidates)
    chosen = _chosen(candidates, scores, wanted, one_per_chunk=several)
    return tuple(_quoted(candidates, chosen))


def _candidates(index: Index, chunks: Sequence[ChunkHit]) -> Iterator[_Candidate]:
    for place, hit in enumerate(chunks):
        for position, sentence in enumerate(index.sentences(hit.chunk_id)):
            yield _Candidate(sentence, place, position, frozenset(terms(sentence.text)))


def _scores(index: Index, context: Context, candidates: Sequence[_Candidate]) -> Floats:
    """Return a score for each candidate; those that the reranker reads come first."""
    asked = frozenset(terms(context.question))
    vectors = index.encode([context.question, *(one.sentence.text for one in candidates)])
    scores: Floats = _COSINE * (vectors[1:] @ vectors[0])
    for row, one in enumerate(candidates):
        scores[row] += _CHUNK * _log_odds(context.chunks[one.chunk].score)
        scores[row] += _NEW_TERMS * math.log1p(len(one.terms - asked))
        scores[row] += _OPENING * (one.position == 0)
    first = np.argsort(-scores, kind="stable")[:_READ]
    passages = [
        Passage(" > ".join(context.chunks[one.chunk].heading_path), one.sentence.text)
        for one in (candidates[row] for row in first)
    ]
    read = _REREAD * index.reread(context.question, passages)
    scores[first] += read
    others = np.setdiff1d(np.arange(len(scores)), first)
    scores[others] += scores[first].min() - scores[others].max(initial=-np.inf)
    return scores


def _log_odds(probability: float) -> float:
    kept = min(max(probability, _NEVER), 1 - _NEVER)
    return math.log(kept / (1 - kept))


def _chosen(
    candidates: Sequence[_Candidate], scores: Floats, wanted: int, *, one_per_chunk: bool
) -> list[list[int]]:
    """Return runs of neighbouring candidates, the best run first, each with its best row first."""
    runs: list[list[int]] = []
    shown: set[int] = set()
    for row in np.argsort(-scores, kind="stable").tolist():
        one = candidates[row]
        if row in shown or (
            one_per_chunk and any(candidates[run[0]].chunk == one.chunk for run in runs)
        ):
            continue
        if any(_is_copy(one, candidates[other]) for other in shown):
            continue
        run = [row, *(other for other in _beside(candidates, row) if other not in shown)]
        shown.update(run)
        runs.append(run)
        if len(runs) == wanted:
            break
    return runs


def _beside(candidates: Sequence[_Candidate], row: int) -> Iterator[int]:
    """Yield the neighbours that are quoted with a sentence, without scraps such as a lone name."""
    for other in range(max(row - _BEFORE, 0), min(row + _AFTER + 1, len(candidates))):
        one = candidates[other]
        is_scrap = len(one.sentence.text.split()) < _LEAST_WORDS
        if other != row and one.chunk == candidates[row].chunk and not is_scrap:
            yield other


def _is_copy(one: _Candidate, other: _Candidate) -> bool:
    common = len(one.terms & other.terms)
    return common >= _SAME * max(len(one.terms | other.terms), 1)


def _quoted(
    candidates: Sequence[_Candidate], runs: Iterable[Sequence[int]]
) -> Iterator[AnswerSentence]:
    """Yield the sentences of runs in reading order; runs that touch become one quotation."""
    runs = list(runs)
    best = [run[0] for run in runs]
    rows = sorted({row for run in runs for row in run})
    documents = list(dict.fromkeys(candidates[row].sentence.document_id for row in best))
    rows.sort(key=lambda row: _reading_order(candidates[row].sentence, documents))
    number, before = 0, -1
    for row in rows:
        source = candidates[row].sentence
        touches = row == before + 1 and candidates[before].chunk == candidates[row].chunk
        number, before = number + (not touches), row
        citation = Citation(number=number, source=source)
        yield AnswerSentence(text=source.text, citations=(citation,), is_best=row in best)


def _reading_order(source: SourceSentence, documents: Sequence[str]) -> tuple[int, int]:
    return documents.index(source.document_id), source.char_start
