"""Mode `local`: what the graph holds around the entities that the question names.

Candidates are the relations within one or two hops of them, and the chunks that state these or
mention those; both are ranked by the question, chunks by cosine and BM25.
"""

from __future__ import annotations

import numpy as np

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.retrieval.graph.fuse import standardised
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query, RankedChunk, Ranking
from graphrag_tasks.retrieval.question.seeds import find_seeds, named_seeds
from graphrag_tasks.retrieval.ranker.hybrid import list_ranks
from graphrag_tasks.retrieval.ranker.traverse import MAX_DEGREE, nearest_relations

_BY_VECTOR = "The question names no entity: the search starts at the nearest by vector."


def rank(graph: Graph, query: Query, config: RetrievalConfig) -> Ranking:
    """Return the k best chunks and 2k best relations near the entities named.

    Args:
        graph: The snapshot's arrays.
        query: The question.
        config: `local_hops` bounds the neighbourhood; the second hop passes through no hub.
    """
    seeds = [seed for one in named_seeds(graph, query) for seed in one.seeds]
    notes = [] if seeds else [_BY_VECTOR]
    seeds = seeds or find_seeds(graph, query, config)
    near = np.array(sorted({seed.row for seed in seeds}), dtype=np.int64)
    relations = np.flatnonzero(graph.entity_relations.union(near))
    for _ in range(config.local_hops - 1):
        ends = np.unique(np.concatenate([graph.heads[relations], graph.tails[relations]]))
        ends = ends[graph.degrees[ends] <= MAX_DEGREE]
        relations = np.flatnonzero(graph.entity_relations.union(np.union1d(near, ends)))
    dense = graph.chunks.vectors @ query.vector
    lexical = graph.lexicon.scores(graph.lexicon.asked(query.text))
    scores = standardised(dense) + standardised(lexical)
    inside = graph.relation_chunks.union(relations) | graph.entity_chunks.union(near)
    rows = [row for row in query.best_chunks(scores, graph.chunks.id_ranks, len(scores))
            if inside[row]][: query.k]  # fmt: skip
    lists = list_ranks({"dense": dense, "bm25": lexical}, np.array(rows, dtype=np.int64))
    return Ranking(
        chunks=[
            RankedChunk(int(row), float(scores[row]), float(dense[row]), ranks)
            for row, ranks in zip(rows, lists, strict=True)
        ],
        relations=nearest_relations(graph, query, relations),
        seeds=seeds,
        notes=notes,
    )
