"""Export the entity graph of a snapshot, or a part of it, as files.

In: a `Selection`. Out: the same bytes for the same part. Open `selection.py` first; `rdf.py` needs an extra.
"""

from graphrag_tasks.graph.clusters import Selection
from graphrag_tasks.inspect.export.graph_files import (
    NEO4J_FILES,
    Provenance,
    community,
    neighbourhood,
    provenance,
    whole_graph,
    write_facts,
    write_graphml,
    write_json,
    write_property_graph,
)

__all__ = [
    "NEO4J_FILES",
    "Provenance",
    "Selection",
    "community",
    "neighbourhood",
    "provenance",
    "whole_graph",
    "write_facts",
    "write_graphml",
    "write_json",
    "write_property_graph",
]
