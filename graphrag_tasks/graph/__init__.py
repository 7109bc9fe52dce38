"""The knowledge graph as Arrow arrays: nodes and weighted edges, igraph's view, and its figures."""

from graphrag_tasks.graph.arrays import RELATION, linked_chunks, to_igraph
from graphrag_tasks.graph.statistics import graph_statistics, top_hubs
from graphrag_tasks.graph.weights import hub_damping, relation_weights

__all__ = [
    "RELATION",
    "graph_statistics",
    "hub_damping",
    "linked_chunks",
    "relation_weights",
    "to_igraph",
    "top_hubs",
]
