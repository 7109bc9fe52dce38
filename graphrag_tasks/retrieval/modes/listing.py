"""Mode `list`: everything of a kind, complete and counted.

"Which tables were replaced by X" names X, a relation and its direction. The answer is every entity
at the other end of such a relation of X, not only the k nearest; "tables that replaced X" are at
the other side. The kind ("tables") narrows it where names, labels or statements show the kind of
some of them, and a common noun of another kind is never listed. A question without a verb ("all
tables of X") lists what is known to be of the kind among the neighbours of X; one without a name
("all tables") what statements say to be one, and with a passive ("tables that were replaced") what
of those a statement says it of. Where no relation answers, one of the first passages may say what
things of the kind include ("monitors such as …").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval.graph.names import is_written_as_name
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.listing_question import Asked, Verb, read, verb_term
from graphrag_tasks.retrieval.question.query import Query, RankedRelation, Ranking, Seed
from graphrag_tasks.retrieval.question.seeds import NamedSeeds, named_seeds
from graphrag_tasks.retrieval.ranker import rank_chunks

_IS = frozenset({"be", "be a", "be an", "is a"})
_INCLUDES = frozenset({"include", "comprise", "be such as"})
_PASSIVE = re.compile(r"^be \w+(?:ed|en|t|wn|ne|ld|nd|de|id)\b|\bby$")
_WITH_PREPOSITION = re.compile(r" (?:at|for|from|in|into|of|on|onto|over|to|under|via|with|as)$")
_DENIED = re.compile(r"\b(?:not|never|cannot|no longer|without)\b|n['’]t\b", re.IGNORECASE)
_READ = 3
"""Passages that may say what things of a kind include."""

_FROM_A_PASSAGE = (
    "Listed is what one passage says things of the kind include, whatever else is asked."
)
_NO_LIST = "No relation of what the question names has its verb and kind: nothing could be listed."
_KIND_UNKNOWN = "No statement, label or name says which of the things listed are of the kind asked."


def rank(graph: Graph, query: Query, config: RetrievalConfig) -> Ranking:
    """Return the entities that the question asks for, all of them, and the default's chunks."""
    ranking = rank_chunks(graph, query, config)
    asked = read(query.text, named_seeds(graph, query))
    answers = _answers(graph, asked)
    listed = _of_kind(graph, asked, set(answers.values()))
    notes = []
    if not listed and asked.kind and not asked.done and not _DENIED.search(query.text):
        answers = _included(graph, asked.kind, [chunk.row for chunk in ranking.chunks[:_READ]])
        listed, notes = set(answers.values()), [_FROM_A_PASSAGE]
    kept = [relation for relation, entity in answers.items() if entity in listed]
    seeds = [seed for one in asked.names for seed in one.seeds]
    if not listed:
        return ranking.with_more(seeds=seeds or ranking.seeds, notes=[_NO_LIST])
    names = graph.entity_names
    cosines = graph.relations.vectors[kept] @ query.vector
    if asked.kind and not any(asked.kind in _kinds(graph, one) for one in listed):
        notes.append(_KIND_UNKNOWN)
    return ranking.with_more(
        relations=[
            RankedRelation(row, float(cosine)) for row, cosine in zip(kept, cosines, strict=True)
        ],
        seeds=seeds,
        further={
            "listed": [
                Seed(row, float(graph.entities.vectors[row] @ query.vector), "listed")
                for row in sorted(listed, key=lambda one: (names[one].casefold(), names[one]))
            ]
        },
        notes=notes,
    )


def _answers(graph: Graph, asked: Asked) -> dict[int, int]:
    """Return the relations that answer, in order of id, each with the entity at its other end."""
    found: dict[int, int] = {}
    for verb in asked.verbs:
        found |= _by_verb(graph, verb)
    if not asked.verbs and asked.kind and asked.done:
        found = _of_those(graph, _done_to(graph, asked.done), asked.kind)
    elif not asked.verbs and asked.kind:
        near = _neighbours(graph, asked.kind_names if asked.is_bare else asked.names)
        found = _of_those(graph, near, asked.kind)
    return {row: found[row] for row in sorted(found, key=graph.relations.id_ranks.__getitem__)}


def _included(graph: Graph, kind: str, chunks: Iterable[int]) -> dict[int, int]:
    """Return the relations of the first chunk that say what things of a kind include, each."""
    for chunk in chunks:
        relations, _ = graph.chunk_relations.pairs(np.array([chunk]))
        found = {
            relation: int(graph.tails[relation])
            for relation in sorted(relations.tolist(), key=graph.relations.id_ranks.__getitem__)
            if graph.relation_words[relation] in _INCLUDES
            and not graph.denied[relation]
            and terms(graph.entity_names[graph.heads[relation]])[-1:] == [kind]
        }
        if found:
            return found
    return {}


def _of_those(graph: Graph, found: Mapping[int, int], kind: str) -> dict[int, int]:
    """Return the relations with an entity that is known to be of a kind."""
    of_kind = {one for one in set(found.values()) if kind in _kinds(graph, one)}
    return {relation: one for relation, one in found.items() if one in of_kind}


def _done_to(graph: Graph, term: str) -> dict[int, int]:
    """Return all relations of a verb, and what each says that it is done to."""
    found = {}
    for relation, words in enumerate(graph.relation_words):
        if verb_term(words) != term or graph.denied[relation]:
            continue
        if _PASSIVE.search(words):
            found[relation] = int(graph.heads[relation])
        elif not _WITH_PREPOSITION.search(words):
            found[relation] = int(graph.tails[relation])
    return found


def _by_verb(graph: Graph, verb: Verb) -> dict[int, int]:
    """Return relations of the verb's name that have the verb, and the name at the other end."""
    found = {}
    for relation in _relations_of(graph, verb.name.rows):
        words = graph.relation_words[relation]
        if verb_term(words) != verb.term or bool(graph.denied[relation]) != verb.negated:
            continue
        head, tail = int(graph.heads[relation]), int(graph.tails[relation])
        wanted, given = (head, tail) if _wants_head(words, verb) else (tail, head)
        if given in verb.name.rows:
            found[relation] = wanted
    return found


def _wants_head(words: str, verb: Verb) -> bool:
    """Tell whether a relation's head is what the verb asks for, and not its tail.

    "X replaces Y" and "Y is replaced by X" say the same the other way round. Of a relation such as
    "run on", which has no passive, what stands before the verb is the head.
    """
    if _PASSIVE.search(words):
        return verb.asks_for_patient
    if _WITH_PREPOSITION.search(words):
        return verb.name_follows
    return not verb.asks_for_patient


def _neighbours(graph: Graph, names: Iterable[NamedSeeds]) -> dict[int, int]:
    """Return the relations of names that are not denied, and the entity at the other end."""
    return {
        relation: other
        for name in names
        for row in name.rows
        for relation, other in graph.steps(row)
        if not graph.denied[relation]
    }


def _relations_of(graph: Graph, entities: Iterable[int]) -> list[int]:
    found: list[int] = np.flatnonzero(
        graph.entity_relations.union(np.array(list(entities), np.int64))
    ).tolist()
    return found


def _of_kind(graph: Graph, asked: Asked, entities: set[int]) -> set[int]:
    """Return the entities that are of the kind asked for; of none that is known, names alone."""
    entities -= {row for name in asked.names for row in name.rows}
    if asked.kind is None:
        return entities
    known = {row for row in entities if asked.kind in _kinds(graph, row)}
    names = graph.entity_names
    return known or {row for row in entities if is_written_as_name(names[row].split())}


def _kinds(graph: Graph, entity: int) -> set[str]:
    """Return the terms of an entity's name and label, and of what statements say that it is.

    A common noun is of the kind that its last word names: a "table view" is no table.
    """
    name = graph.entity_names[entity]
    own = terms(name)
    found = set(own if is_written_as_name(name.split()) else own[-1:])
    found |= set(terms(graph.entity_types[entity] or ""))
    for relation, other in graph.steps(entity):
        words = graph.relation_words[relation]
        is_head = graph.heads[relation] == entity
        if not graph.denied[relation] and words in (_IS if is_head else _INCLUDES):
            found |= set(terms(graph.entity_names[other])[-1:])
    return found
