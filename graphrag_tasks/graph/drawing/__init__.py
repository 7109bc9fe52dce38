"""A part of a graph, and its picture: the same part gives the same bytes."""

from graphrag_tasks.graph.drawing.picture import Picture, draw
from graphrag_tasks.graph.drawing.selection import (
    ENTITIES,
    GAINED,
    LOST,
    NOT_XML,
    RELATIONS,
    Selection,
)

__all__ = ["ENTITIES", "GAINED", "LOST", "NOT_XML", "RELATIONS", "Picture", "Selection", "draw"]
