"""Names of entities as tables: what a search finds them by, and which chunks hold them."""

from graphrag_tasks.graph.names.tables import NAME_TABLES, name_tables

__all__ = ["NAME_TABLES", "name_tables"]
