"""Mode `list`: everything of a kind, complete and counted.

"Which tables were replaced by X" names X and a relation. The answer is every entity at the other
end of a relation of X whose words are the question's, not only the k nearest. The kind ("tables")
narrows it where names or statements tell the kind of some of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

import numpy as np

from graphrag_tasks.config import RetrievalConfig
from graphrag_tasks.lexical import terms
from graphrag_tasks.retrieval.graph import Graph
from graphrag_tasks.retrieval.learned import rank as rank_chunks
from graphrag_tasks.retrieval.ranking import Query, RankedRelation, Ranking, Seed
from graphrag_tasks.retrieval.seeds import named_seeds

_IS = frozenset({"be", "be a", "be an", "is a"})
_NO_LIST = "No relation of what the question names has its words: nothing could be listed."


def rank(graph: Graph, query: Query, config: RetrievalConfig) -> Ranking:
    """Return the entities that the question asks for, all of them, and the default's chunks.

    Args:
        graph: The snapshot's arrays.
        query: The question.
        config: Passed on to the ranking of chunks.
    """
    ranking = rank_chunks(graph, query, config)
    named = named_seeds(graph, query)
    seeds = [seed for one in named for seed in one.seeds]
    asked = set(terms(query.text)) - {term for one in named for term in terms(one.surface)}
    relations = _relations(graph, [seed.row for seed in seeds], asked)
    if not relations:
        return ranking.with_more(notes=[_NO_LIST])
    rows = {seed.row for seed in seeds}
    listed = _of_kind(graph, sorted(_ends(graph, relations) - rows), asked)
    kept = [row for row in relations if listed & _ends(graph, [row])]
    cosines = graph.relations.vectors[kept] @ query.vector
    ids = graph.entities.id_ranks
    return ranking.with_more(
        relations=[
            RankedRelation(row, float(cosine)) for row, cosine in zip(kept, cosines, strict=True)
        ],
        seeds=seeds,
        listed=[
            Seed(row, float(graph.entities.vectors[row] @ query.vector), "listed")
            for row in sorted(listed, key=ids.__getitem__)
        ],
    )


def _relations(graph: Graph, entities: Iterable[int], asked: Set[str]) -> list[int]:
    """Return the relations of entities that share a word with the question, in order of id."""
    rows = np.flatnonzero(graph.entity_relations.union(np.array(list(entities), np.int64)))
    found = [int(row) for row in rows if not asked.isdisjoint(terms(graph.relation_words[row]))]
    return sorted(found, key=graph.relations.id_ranks.__getitem__)


def _ends(graph: Graph, relations: Iterable[int]) -> set[int]:
    rows = list(relations)
    return {*graph.heads[rows].tolist(), *graph.tails[rows].tolist()}


def _of_kind(graph: Graph, entities: list[int], asked: Set[str]) -> set[int]:
    """Return the entities that are of a kind the question names; all where none is known to be."""
    known = {row for row in entities if not asked.isdisjoint(_kinds(graph, row))}
    return known or set(entities)


def _kinds(graph: Graph, entity: int) -> set[str]:
    """Return the terms of an entity's name, and of what statements say that it is."""
    found = set(terms(graph.entity_names[entity]))
    for relation, other in graph.steps(entity):
        if graph.relation_words[relation] in _IS and graph.heads[relation] == entity:
            found |= set(terms(graph.entity_names[other]))
    return found
