"""Kinds of an entity: from its name, its type, and "is a" statements."""

from __future__ import annotations

from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.language.known_names import is_written_as_name
from graphrag_tasks.language.relations import INCLUDES
from graphrag_tasks.retrieval.graph.pinned import Graph

_IS = frozenset({"be", "be a", "be an", "is a"})


def kinds(graph: Graph, entity: int) -> set[str]:
    """Return the terms of an entity's name, type, and stated kinds.

    A common noun counts only by its last word: a "table view" is no table.
    """
    name = graph.entity_names[entity]
    own = terms(name)
    found = set(own if is_written_as_name(name.split()) else own[-1:])
    found |= set(terms(graph.entity_types[entity] or ""))
    for relation, other in graph.steps(entity):
        words = graph.relation_words[relation]
        is_head = graph.heads[relation] == entity
        if not graph.denied[relation] and words in (_IS if is_head else INCLUDES):
            found |= set(terms(graph.entity_names[other])[-1:])
    return found
