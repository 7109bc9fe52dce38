"""Relate stage: triples become relations between entities, within an expert's schema or none."""

from graphrag_tasks.graph.relationships.graph_schema import GraphSchema, read_schema
from graphrag_tasks.graph.relationships.stage import relationships

__all__ = ["GraphSchema", "read_schema", "relationships"]
