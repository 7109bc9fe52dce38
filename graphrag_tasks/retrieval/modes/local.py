"""Mode `local`: relations and chunks around the entities that the question names.

Candidates are the relations within `local_hops` hops, their evidence, and the chunks that mention
the entities. Relations are ranked by cosine, chunks by cosine and BM25.
"""

from __future__ import annotations

import numpy as np

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query, Ranking
from graphrag_tasks.retrieval.question.seeds import find_seeds, named_seeds
from graphrag_tasks.retrieval.ranker.hybrid import hybrid_chunks
from graphrag_tasks.retrieval.ranker.traverse import MAX_DEGREE, nearest_relations

_BY_VECTOR = "The question names no entity: the search starts at the nearest by vector."


def rank(graph: Graph, query: Query, config: RetrievalConfig) -> Ranking:
    """Return the k best chunks and 2k best relations; the second hop passes through no hub."""
    seeds = [seed for one in named_seeds(graph, query) for seed in one.seeds]
    notes = [] if seeds else [_BY_VECTOR]
    seeds = seeds or find_seeds(graph, query, config)
    near = np.array(sorted({seed.row for seed in seeds}), dtype=np.int64)
    relations = np.flatnonzero(graph.entity_relations.union(near))
    for _ in range(config.local_hops - 1):
        ends = np.unique(np.concatenate([graph.heads[relations], graph.tails[relations]]))
        ends = ends[graph.degrees[ends] <= MAX_DEGREE]
        relations = np.flatnonzero(graph.entity_relations.union(np.union1d(near, ends)))
    inside = graph.relation_chunks.union(relations) | graph.entity_chunks.union(near)
    return Ranking(
        chunks=hybrid_chunks(graph, query, 1.0, inside),
        relations=nearest_relations(graph, query, relations),
        seeds=seeds,
        notes=notes,
    )
