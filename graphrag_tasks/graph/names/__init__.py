"""Tables of entity names for search.

Entities, aliases and mentions come in; spellings and name-to-chunk pairs go out. Open `tables.py` first.
"""

from graphrag_tasks.graph.names.tables import NAME_TABLES, name_tables

__all__ = ["NAME_TABLES", "name_tables"]
