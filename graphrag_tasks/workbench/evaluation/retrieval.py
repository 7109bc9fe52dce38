"""Retrieval quality: is the gold of a question among the first results?"""

from __future__ import annotations

import time
from collections.abc import Sequence

from graphrag_tasks.core.errors import ConfigError, QueryError
from graphrag_tasks.retrieval import ChunkHit, Context, Index
from graphrag_tasks.retrieval.question.query import MOST_CHUNKS
from graphrag_tasks.workbench.evaluation.gold import Gold, Target, locate
from graphrag_tasks.workbench.evaluation.measures import all_gold_at_k, recall_at_k, reciprocal_rank
from graphrag_tasks.workbench.evaluation.questions import Question
from graphrag_tasks.workbench.evaluation.report import QuestionResult, RetrievalReport, Scores

PLACES = 10  # Length of a ranking; no figure looks further.
ALL_GOLD_PLACES = 8  # Places that must contain every gold item: the number of chunks given to a language model.
_DEPTH = 30  # Chunks first requested for each question, so that ten documents are among them.
_MILLISECONDS = 1000


def evaluate_retrieval(index: Index, questions: Sequence[Question], *, mode: str = "paper") -> RetrievalReport:
    """Search every question and compare the results with its gold.

    With gold spans, chunks are judged: a place is right if its chunk overlaps a span. With gold documents, documents
    are judged, each at the place of its best chunk; if the chunks found contain fewer than ten documents, twice as many
    are requested. Times are of the first search, after an uncounted warm-up. A mode may include the number of reranked
    chunks: `auto+50`, or `auto+0`.
    """
    if not questions:
        raise ConfigError("there are no questions to evaluate")
    return evaluate_targets(index, locate(questions, index.snapshot), mode=mode)


def evaluate_targets(index: Index, gold: Gold, *, mode: str) -> RetrievalReport:
    """Evaluate located questions as `evaluate_retrieval` does."""
    name, plus, candidates = mode.partition("+")
    if plus and not candidates.isdecimal():
        raise QueryError(f"mode '{mode}': '{candidates}' is no number of chunks to read again")
    rerank = int(candidates) if plus else None

    def search(question: str, k: int = _DEPTH) -> Context:
        return index.search(question, name, k, rerank=rerank)

    search(gold.targets[0].question.question)
    results = []
    for target in gold.targets:
        wall, cpu = time.perf_counter(), time.process_time()
        context = search(target.question.question)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        hits = list(context.chunks)
        if not target.by_chunk:
            while len(hits := _one_a_document(context)) < PLACES and len(context.chunks) == context.k < MOST_CHUNKS:
                context = search(context.question, 2 * context.k)
        times = wall * _MILLISECONDS, cpu * _MILLISECONDS
        results.append(_result(gold, target, hits[:PLACES], *times))
    types = sorted({result.type for result in results})
    return RetrievalReport(
        mode=mode,
        snapshot_id=index.snapshot.snapshot_id,
        overall=Scores.of(results),
        by_type={kind: Scores.of([one for one in results if one.type == kind]) for kind in types},
        results=tuple(results),
        moved=gold.moved,
        stale=gold.stale,
    )


def _result(gold: Gold, target: Target, hits: Sequence[ChunkHit], wall_ms: float, cpu_ms: float) -> QuestionResult:
    places = [target.items(hit.chunk_id) for hit in hits]
    ranking = [gold.labels[hit.chunk_id] for hit in hits]
    if not target.by_chunk:
        ranking = [label.rpartition(":")[0] for label in ranking]
    items = len(target.gold)
    found = {item: place for place in range(len(places), 0, -1) for item in places[place - 1]}
    return QuestionResult(
        id=target.question.id,
        type=target.question.type,
        question=target.question.question,
        gold=target.gold,
        found_at=tuple(map(found.get, range(items))),
        ranking=tuple(ranking),
        metrics={
            **{f"recall@{k}": recall_at_k(places, items, k) for k in (2, 5, 10)},
            f"all_gold@{ALL_GOLD_PLACES}": all_gold_at_k(places, items, ALL_GOLD_PLACES),
            f"mrr@{PLACES}": reciprocal_rank(places),
        },
        wall_ms=wall_ms,
        cpu_ms=cpu_ms,
    )


def _one_a_document(context: Context) -> list[ChunkHit]:
    hits: dict[str, ChunkHit] = {}
    for hit in context.chunks:
        hits.setdefault(hit.document_id, hit)
    return list(hits.values())
