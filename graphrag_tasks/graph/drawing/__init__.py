"""Pictures of a part of the graph.

A selection of entities and relations comes in; a deterministic SVG goes out. Open `picture.py` first.
"""

from graphrag_tasks.graph.drawing.picture import Picture, draw
from graphrag_tasks.graph.drawing.selection import ENTITIES, GAINED, LOST, NOT_XML, RELATIONS, Selection

__all__ = ["ENTITIES", "GAINED", "LOST", "NOT_XML", "RELATIONS", "Picture", "Selection", "draw"]
