"""Exports: the entity graph of a snapshot, or a part of it, for other programs or as a picture.

The same part gives the same bytes.
"""

from graphrag_tasks.graph.drawing import Selection, draw
from graphrag_tasks.inspect.export.changes import changed_facts
from graphrag_tasks.inspect.export.graph_files import (
    write_gexf,
    write_graphml,
    write_json,
    write_property_graph,
    write_sheet,
)
from graphrag_tasks.inspect.export.selection import community, neighbourhood, whole_graph

__all__ = [
    "Selection",
    "changed_facts",
    "community",
    "draw",
    "neighbourhood",
    "whole_graph",
    "write_gexf",
    "write_graphml",
    "write_json",
    "write_property_graph",
    "write_sheet",
]
