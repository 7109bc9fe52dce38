"""Exports: the entity graph of a snapshot, or a part of it, for other programs and for the eye.

`selection` takes the part, `graph_files` writes GraphML, GEXF and JSON, `property_graph` the CSV
files that graph databases import, `layout` and `picture` draw an SVG. The same part gives the same
bytes.
"""

from graphrag_tasks.inspect.export.graph_files import write_gexf, write_graphml, write_json
from graphrag_tasks.inspect.export.picture import draw
from graphrag_tasks.inspect.export.property_graph import write_property_graph
from graphrag_tasks.inspect.export.selection import Selection, community, neighbourhood, whole_graph

__all__ = [
    "Selection",
    "community",
    "draw",
    "neighbourhood",
    "whole_graph",
    "write_gexf",
    "write_graphml",
    "write_json",
    "write_property_graph",
]
