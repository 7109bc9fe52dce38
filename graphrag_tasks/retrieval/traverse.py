"""Steps along the graph: relations near a question, neighbours of an entity, paths between two."""

from __future__ import annotations

from graphrag_tasks.retrieval.arrays import Rows
from graphrag_tasks.retrieval.fuse import top
from graphrag_tasks.retrieval.graph import Graph
from graphrag_tasks.retrieval.ranking import Query, RankedRelation


def nearest_relations(graph: Graph, query: Query, relations: Rows) -> list[RankedRelation]:
    """Return the 2k relations nearest to the question by cosine, best first.

    Args:
        graph: The snapshot's arrays.
        query: The encoded question.
        relations: Relation rows to choose from.
    """
    scores = graph.relations.vectors[relations] @ query.vector
    order = top(scores, graph.relations.id_ranks[relations], 2 * query.k)
    return [RankedRelation(int(relations[place]), float(scores[place])) for place in order]
