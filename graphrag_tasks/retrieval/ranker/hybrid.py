"""Modes `dense`, `bm25` and `hybrid`: baselines without a graph."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query, RankedChunk, Ranking, ranked_chunks
from graphrag_tasks.retrieval.view.arrays import Scores, standardised
from graphrag_tasks.storage.columns import Rows

_BM25_WEIGHT = 0.67
"""Weight of the BM25 score beside the cosine, both standardised: the cosine of the default encoder earns half as
much again (docs/results.md)."""


def rank_dense(graph: Graph, query: Query, _: RetrievalConfig) -> Ranking:
    """Return the k chunks with the highest cosine."""
    (dense,) = graph.chunks.vectors.cosines(query.vector[None], allowed=query.allowed)
    scores = dense.values
    id_ranks = graph.chunks.id_ranks
    rows = query.best_chunks(query.reranked(scores, id_ranks), id_ranks)
    ranks = [{"dense": place} for place in range(1, len(rows) + 1)]
    return Ranking(chunks=ranked_chunks(rows, scores, dense, ranks))


def rank_bm25(graph: Graph, query: Query, _: RetrievalConfig) -> Ranking:
    """Return the k chunks with the highest BM25 score, without chunks that share no term."""
    scores = graph.lexicon.scores(graph.lexicon.asked(query.text))
    id_ranks = graph.chunks.id_ranks
    rows = query.best_chunks(query.reranked(scores, id_ranks), id_ranks)
    rows = rows[scores[rows] > 0]
    ranks = [{"bm25": place} for place in range(1, len(rows) + 1)]
    notes = [] if len(rows) else ["No word of the question is in the corpus."]
    return Ranking(chunks=ranked_chunks(rows, scores, None, ranks), notes=notes)


def rank_hybrid(graph: Graph, query: Query, _: RetrievalConfig) -> Ranking:
    """Return the k best chunks by cosine and BM25."""
    return Ranking(chunks=hybrid_chunks(graph, query, _BM25_WEIGHT))


def hybrid_chunks(
    graph: Graph, query: Query, bm25_weight: float, inside: NDArray[np.bool_] | None = None
) -> list[RankedChunk]:
    """Return the k chunks with the highest sum of standardised cosine and weighted BM25 score.

    `inside`, shape (chunks,), limits the choice; scores are standardised over all chunks.
    """
    lexical = graph.lexicon.scores(graph.lexicon.asked(query.text))
    allowed = query.allowed
    if inside is not None:
        allowed = inside if allowed is None else inside & allowed
    (dense,) = graph.chunks.vectors.cosines(query.vector[None], beside=lexical, allowed=allowed)
    scores = dense.standardised + np.float32(bm25_weight) * standardised(lexical)
    id_ranks = graph.chunks.id_ranks
    order = query.reranked(scores, id_ranks)
    if inside is None:
        rows = query.best_chunks(order, id_ranks)
    else:
        rows = query.best_chunks(order, id_ranks, len(scores))
        rows = rows[inside[rows]][: query.k]
    ranks = list_ranks({"dense": dense.values, "bm25": lexical}, rows)
    return ranked_chunks(rows, scores, dense, ranks)


def list_ranks(lists: Mapping[str, Scores], rows: Rows) -> list[dict[str, int]]:
    """Return each row's rank in each list, from 1; equal scores share a rank."""
    ranks = []
    for scores in lists.values():
        own = scores[rows]
        better = np.sort(scores[scores > own.min(initial=np.inf)])
        above = len(better) - np.searchsorted(better, own, side="right")
        ranks.append((above + 1).tolist())
    return [dict(zip(lists, of_row, strict=True)) for of_row in zip(*ranks, strict=True)]
