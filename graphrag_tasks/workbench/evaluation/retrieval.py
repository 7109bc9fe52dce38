"""Retrieval quality: is the gold of a question among the first results?"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.errors import ConfigError, QueryError
from graphrag_tasks.embed.protocol import Embedder, Encoded
from graphrag_tasks.retrieval import ChunkHit, Context, Index
from graphrag_tasks.retrieval.question.query import MOST_CHUNKS
from graphrag_tasks.workbench.evaluation.failures import REACHES, Reach, reason
from graphrag_tasks.workbench.evaluation.gold import Gold, Target, locate
from graphrag_tasks.workbench.evaluation.metrics import all_gold_at_k, recall_at_k, reciprocal_rank
from graphrag_tasks.workbench.evaluation.questions import Question
from graphrag_tasks.workbench.evaluation.report import Cost, QuestionResult, RetrievalReport, Scores, Times

PLACES = 10  # Length of a ranking; no figure looks further.

_MILLISECONDS = 1000

ALL_GOLD_PLACES = 8  # Places that must contain every gold item: the number of chunks given to a language model.


class TimedEmbedder:
    """An embedder that adds up the time of `encode` in `spent`."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.dimension, self.fingerprint = embedder.dimension, embedder.fingerprint
        self.engine = embedder.engine
        self.spent = Times(0.0, 0.0)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts and measure the time."""
        started = _now()
        vectors = self._embedder.encode(texts)
        self.spent += _now() - started
        return vectors

    def encode_detailed(self, texts: Sequence[str]) -> Encoded:
        """Embed texts without measuring: searches do not call this."""
        return self._embedder.encode_detailed(texts)


def _now() -> Times:
    return Times(time.perf_counter() * _MILLISECONDS, time.process_time() * _MILLISECONDS)


def evaluate_retrieval(
    index: Index,
    questions: Sequence[Question],
    *,
    mode: str = "paper",
    depth: int = 30,
    encoder: TimedEmbedder | None = None,
) -> RetrievalReport:
    """Search every question and compare the results with its gold.

    With gold spans, chunks are judged: a place is right if its chunk overlaps a span. With gold documents, documents
    are judged, each at the place of its best chunk; if `depth` chunks contain fewer than ten documents, twice as many
    are requested. Times are of the first search with `depth`, after an uncounted warm-up; with the index's embedder as
    `encoder`, its share is measured too. A mode may include the number of reranked chunks: `auto+50`, or `auto+0`.
    """
    if not questions:
        raise ConfigError("there are no questions to evaluate")
    gold = locate(questions, index.snapshot)
    return evaluate_targets(index, gold, mode=mode, depth=depth, encoder=encoder)


def evaluate_targets(
    index: Index, gold: Gold, *, mode: str, depth: int = 30, encoder: TimedEmbedder | None = None
) -> RetrievalReport:
    """Evaluate located questions as `evaluate_retrieval` does."""
    name, rerank = _read_mode(mode)
    index.search(gold.targets[0].question.question, name, depth, rerank=rerank)
    reach = REACHES[name](index) if name in REACHES else None
    judge = _Judge(index, gold, name, rerank, depth, encoder, reach)
    results = tuple(judge.result(target) for target in gold.targets)
    types = sorted({result.type for result in results})
    return RetrievalReport(
        mode=mode,
        snapshot_id=index.snapshot.snapshot_id,
        depth=depth,
        overall=Scores.of(results),
        by_type={name: Scores.of([result for result in results if result.type == name]) for name in types},
        cost=Cost.of(results),
        results=results,
        moved=gold.moved,
        stale=gold.stale,
    )


def _read_mode(mode: str) -> tuple[str, int | None]:
    name, plus, candidates = mode.partition("+")
    if not plus:
        return name, None
    if not candidates.isdecimal():
        raise QueryError(f"mode '{mode}': '{candidates}' is no number of chunks to read again")
    return name, int(candidates)


@dataclass(frozen=True)
class _Judge:
    index: Index
    gold: Gold
    mode: str
    rerank: int | None
    depth: int
    encoder: TimedEmbedder | None
    reach: Reach | None

    def result(self, target: Target) -> QuestionResult:
        context, total, encoding = self._timed_search(target.question.question)
        hits = self._ranking(target, context)
        places = [target.items(hit.chunk_id) for hit in hits]
        ranking = [self.gold.labels[hit.chunk_id] for hit in hits]
        if not target.by_chunk:
            ranking = [label.rpartition(":")[0] for label in ranking]
        gold = len(target.gold)
        metrics = {f"recall@{k}": recall_at_k(places, gold, k) for k in (2, 5, 10)}
        metrics |= {"all_gold@8": all_gold_at_k(places, gold, ALL_GOLD_PLACES)}
        metrics |= {"mrr@10": reciprocal_rank(places, gold)}
        missing = frozenset(range(gold)).difference(*places[:ALL_GOLD_PLACES])
        return QuestionResult(
            id=target.question.id,
            type=target.question.type,
            question=target.question.question,
            gold=target.gold,
            found_at=tuple(
                next((place for place, items in enumerate(places, 1) if item in items), None) for item in range(gold)
            ),
            ranking=tuple(ranking),
            metrics=metrics,
            failure=reason(target, missing, context, self.reach) if missing else None,
            total=total,
            encoding=encoding,
        )

    def _timed_search(self, question: str) -> tuple[Context, Times, Times | None]:
        encoded = self.encoder.spent if self.encoder else Times(0.0, 0.0)
        started = _now()
        context = self.index.search(question, self.mode, self.depth, rerank=self.rerank)
        total = _now() - started
        return context, total, self.encoder.spent - encoded if self.encoder else None

    def _ranking(self, target: Target, context: Context) -> list[ChunkHit]:
        if target.by_chunk:
            return list(context.chunks[:PLACES])
        while len(hits := _one_a_document(context)) < PLACES and len(context.chunks) == context.k < MOST_CHUNKS:
            k = 2 * context.k
            context = self.index.search(context.question, self.mode, k, rerank=self.rerank)
        return hits[:PLACES]


def _one_a_document(context: Context) -> list[ChunkHit]:
    hits: dict[str, ChunkHit] = {}
    for hit in context.chunks:
        hits.setdefault(hit.document_id, hit)
    return list(hits.values())
