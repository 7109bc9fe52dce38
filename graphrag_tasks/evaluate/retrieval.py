"""Retrieval quality: are the documents a question needs among the first that come back?"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from graphrag_tasks.errors import ConfigError
from graphrag_tasks.evaluate.metrics import all_gold_at_k, recall_at_k, reciprocal_rank
from graphrag_tasks.evaluate.questions import Question, check_gold
from graphrag_tasks.evaluate.report import QuestionResult, RetrievalReport
from graphrag_tasks.retrieval import Context, Index

DOCUMENTS = 10
"""Length of a ranking, where the index finds that many: no figure looks further."""


def evaluate_retrieval(
    index: Index,
    questions: Sequence[Question],
    *,
    mode: str = "paper",
    depth: int = 30,
) -> RetrievalReport:
    """Search every question and compare the documents found with those it needs.

    A search gives chunks; each document stands at the place of its best chunk. Where `depth`
    chunks hold fewer than ten documents, the question is asked again for twice as many. The times
    are those of the first search with `depth`, after one search that is not counted, which loads
    the models.

    Args:
        index: An opened index.
        questions: Questions whose gold ids are paths of the index's documents.
        mode: Search mode.
        depth: Chunks first asked for with each question.

    Returns:
        Recall@2, @5 and @10, all-gold@8 and MRR@10 over all questions and by type, and times.

    Raises:
        ConfigError: There is no question, or a gold id is no document of the index.
        QueryError: There is no such mode.
    """
    if not questions:
        raise ConfigError("there are no questions to evaluate")
    documents = index.snapshot.table("documents", ["document_id", "path"]).to_pylist()
    paths: dict[str, str] = {row["document_id"]: row["path"] for row in documents}
    check_gold(questions, set(paths.values()))
    index.search(questions[0].question, mode, depth)
    results = [_evaluate_one(index, question, mode, depth, paths) for question in questions]
    return RetrievalReport.of(
        results, mode=mode, snapshot_id=index.snapshot.snapshot_id, depth=depth
    )


def _evaluate_one(
    index: Index, question: Question, mode: str, depth: int, paths: Mapping[str, str]
) -> QuestionResult:
    wall, cpu = time.perf_counter(), time.process_time()
    context = index.search(question.question, mode, depth)
    wall_ms, cpu_ms = (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000
    ranking = _documents(context, paths)
    while len(ranking) < DOCUMENTS and len(context.chunks) == context.k:
        context = index.search(question.question, mode, 2 * context.k)
        ranking = _documents(context, paths)
    gold = question.gold_ids
    metrics = {f"recall@{k}": recall_at_k(ranking, gold, k) for k in (2, 5, 10)}
    metrics |= {"all_gold@8": all_gold_at_k(ranking, gold, 8)}
    metrics |= {"mrr@10": reciprocal_rank(ranking, gold)}
    return QuestionResult(
        id=question.id,
        type=question.type,
        question=question.question,
        gold_ids=gold,
        ranking=tuple(ranking),
        metrics=metrics,
        wall_ms=wall_ms,
        cpu_ms=cpu_ms,
    )


def _documents(context: Context, paths: Mapping[str, str]) -> list[str]:
    """Return the first documents of the chunks, each where its first chunk stands."""
    return list(dict.fromkeys(paths[chunk.document_id] for chunk in context.chunks))[:DOCUMENTS]
