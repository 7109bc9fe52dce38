"""Rankers: scores of chunks, and the ranking selected by `retrieval.ranker`.

In: a graph and a `Query`. Out: chunk scores, shape (chunks,). Open `learned.py` first, then `walk.py` and
`features.py`.
"""

from __future__ import annotations

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.core.registry import Registry
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query, Ranking

RANKERS: Registry[Ranking] = Registry(
    "ranker",
    "graphrag_tasks.rankers",
    "retrieval.ranker",
    {"learned": "graphrag_tasks.retrieval.ranker.learned:rank", "walk": "graphrag_tasks.retrieval.ranker.walk:rank"},
)
"""Functions `rank(graph, query, config) -> Ranking`."""


def rank_chunks(graph: Graph, query: Query, config: RetrievalConfig) -> Ranking:
    """Return the k best chunks by the configured ranker: mode `ranked`, and other modes' chunks."""
    return RANKERS.factory(config.ranker)(graph, query, config)
