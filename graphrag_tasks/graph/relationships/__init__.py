"""Relationships stage: triples become relations between entities, optionally by a schema.

Triples, surface forms and resolved names come in; relations, evidence and attributes go out. Open `stage.py` first.
"""

from graphrag_tasks.graph.relationships.stage import GraphSchema, read_schema, relationships

__all__ = ["GraphSchema", "read_schema", "relationships"]
