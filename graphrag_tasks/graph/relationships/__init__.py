"""Relationships stage: triples become relations between entities, within a schema or none."""

from graphrag_tasks.graph.relationships.graph_schema import GraphSchema, read_schema
from graphrag_tasks.graph.relationships.stage import relationships

__all__ = ["GraphSchema", "read_schema", "relationships"]
