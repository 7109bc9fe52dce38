"""Mode `dense`: chunks by exact cosine with the question, the baseline without a graph."""

from __future__ import annotations

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query, RankedChunk, Ranking


def rank(graph: Graph, query: Query, config: RetrievalConfig) -> Ranking:
    """Return the k chunks nearest to the question; no relations and no entities.

    Args:
        graph: The snapshot's arrays.
        query: The encoded question.
        config: Not used: `query.k` is the only parameter.
    """
    del config
    scores = graph.chunks.vectors @ query.vector
    rows = query.best_chunks(scores, graph.chunks.id_ranks)
    return Ranking(
        chunks=[
            RankedChunk(int(row), float(scores[row]), float(scores[row]), {"dense": place})
            for place, row in enumerate(rows, 1)
        ]
    )
