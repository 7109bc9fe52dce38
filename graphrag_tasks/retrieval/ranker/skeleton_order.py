"""Order relations by their relevance to a question."""

from __future__ import annotations

import numpy as np

from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query
from graphrag_tasks.retrieval.ranker.walk import walk
from graphrag_tasks.retrieval.view.arrays import standardised
from graphrag_tasks.storage.columns import Rows


def by_support(graph: Graph) -> Rows:
    """Return all relations, best supported first."""
    return np.lexsort((graph.relations.id_ranks, -graph.relation_support))


def by_question(graph: Graph, query: Query) -> Rows:
    """Return all relations, those that tell most of what a question is about first.

    Their score is the cosine with the question plus the `graph` score of the best chunk that states
    them, both standardised; support breaks ties.
    """
    if not len(graph.relations):
        return np.empty(0, dtype=np.int64)
    walked = walk(graph, query).scores
    states = graph.relation_chunks
    best = np.full(len(graph.relations), walked.min(), dtype=np.float32)
    chunks, relations = states.pairs(np.arange(len(graph.relations)))
    np.maximum.at(best, relations, walked[chunks])
    (near,) = graph.relations.vectors.cosines(query.vector[None], beside=best)
    scores = near.standardised + standardised(best)
    return np.lexsort((graph.relations.id_ranks, -graph.relation_support, -scores))
