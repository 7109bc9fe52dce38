"""The knowledge graph as Arrow arrays.

Triples and resolved names come in; relations, weighted nodes and edges, communities and pictures go out. Stages:
`relationships`, `communities`, `load`; open `arrays.py` first for the model.
"""

from graphrag_tasks.graph.arrays import RELATION, to_igraph
from graphrag_tasks.graph.statistics import graph_statistics, top_hubs
from graphrag_tasks.graph.weights import hub_damping, relation_weights

__all__ = ["RELATION", "graph_statistics", "hub_damping", "relation_weights", "to_igraph", "top_hubs"]
