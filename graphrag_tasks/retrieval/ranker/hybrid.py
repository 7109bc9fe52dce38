"""Modes `bm25` and `hybrid`: words, and words beside vectors; a graph has to be better."""

from __future__ import annotations

import numpy as np

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.retrieval.graph.fuse import standardised
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query, RankedChunk, Ranking
from graphrag_tasks.retrieval.view.arrays import Rows, Scores

_NO_WORD = "No word of the question is in the corpus."


def rank_bm25(graph: Graph, query: Query, config: RetrievalConfig) -> Ranking:
    """Return the k chunks with the highest BM25 score; those that share no term are left out.

    Args:
        graph: The snapshot's arrays.
        query: The question.
        config: Not used: `query.k` is the only parameter.
    """
    del config
    scores = graph.lexicon.scores(graph.lexicon.asked(query.text))
    rows = query.best_chunks(scores, graph.chunks.id_ranks)
    found = [row for row in rows if scores[row] > 0]
    return Ranking(
        chunks=[
            RankedChunk(int(row), float(scores[row]), None, {"bm25": place})
            for place, row in enumerate(found, 1)
        ],
        notes=[] if found else [_NO_WORD],
    )


def rank_hybrid(graph: Graph, query: Query, config: RetrievalConfig) -> Ranking:
    """Return the k chunks with the highest sum of standardised cosine and BM25 score.

    Args:
        graph: The snapshot's arrays.
        query: The question.
        config: `bm25_weight` is the weight of the BM25 score; the cosine's is 1.
    """
    dense = graph.chunks.vectors @ query.vector
    lexical = graph.lexicon.scores(graph.lexicon.asked(query.text))
    scores = standardised(dense) + np.float32(config.bm25_weight) * standardised(lexical)
    rows = query.best_chunks(scores, graph.chunks.id_ranks)
    lists = {"dense": dense, "bm25": lexical}
    return Ranking(
        chunks=[
            RankedChunk(int(row), float(scores[row]), float(dense[row]), ranks)
            for row, ranks in zip(rows, list_ranks(lists, rows), strict=True)
        ]
    )


def list_ranks(lists: dict[str, Scores], rows: Rows) -> list[dict[str, int]]:
    """Return, for each row, its rank from 1 in each list: one more than the rows above it."""
    above = [
        (len(scores) - np.searchsorted(np.sort(scores), scores[rows], side="right")).tolist()
        for scores in lists.values()
    ]
    return [
        {name: count + 1 for name, count in zip(lists, counts, strict=True)}
        for counts in zip(*above, strict=True)
    ]
