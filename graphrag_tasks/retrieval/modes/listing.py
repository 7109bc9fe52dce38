"""Mode `list`: everything of a kind, complete and counted.

"Which tables were replaced by X" gives every entity at the other end of such a relation of X; "tables that replaced X"
gives the other end. If some answers are known to be of the kind ("tables") by name, type or statements, only these are
listed; common nouns of another kind never are.

"All tables of X" lists the neighbours of X known to be tables; "all tables" what statements call a table; "tables that
were replaced" those with such a statement. If no relation answers, one of the first passages may list examples
("monitors such as …").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.language.known_names import is_written_as_name
from graphrag_tasks.language.relations import INCLUDES
from graphrag_tasks.retrieval.graph.kinds import kinds
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.listing_question import Asked, Verb, read, verb_term
from graphrag_tasks.retrieval.question.query import Query, RankedRow, Ranking, Seed
from graphrag_tasks.retrieval.question.seeds import NamedSeeds, named_seeds
from graphrag_tasks.retrieval.ranker import rank_chunks

_PASSIVE = re.compile(r"^be \w+(?:ed|en|t|wn|ne|ld|nd|de|id)\b|\bby$")
_WITH_PREPOSITION = re.compile(r" (?:at|for|from|in|into|of|on|onto|over|to|under|via|with|as)$")
_DENIED = re.compile(r"\b(?:not|never|cannot|no longer|without)\b|n['’]t\b", re.IGNORECASE)
_READ = 3  # Passages that may list examples.

_FROM_A_PASSAGE = "Listed is what one passage says things of the kind include, whatever else is asked."
_NO_LIST = "No relation of what the question names has its verb and kind: nothing could be listed."
_KIND_UNKNOWN = "No statement, label or name says which of the things listed are of the kind asked."


def rank(graph: Graph, query: Query, config: RetrievalConfig) -> Ranking:
    """Return all entities that the question asks for, with the chunks of mode `ranked`."""
    ranking = rank_chunks(graph, query, config)
    asked = read(query.text, named_seeds(graph, query))
    answers = _answers(graph, asked)
    listed = _of_kind(graph, asked, set(answers.values()))
    notes = []
    if not listed and asked.kind and not asked.done and not _DENIED.search(query.text):
        answers = _included(graph, asked.kind, [chunk.row for chunk in ranking.chunks[:_READ]])
        listed, notes = set(answers.values()), [_FROM_A_PASSAGE]
    kept = [relation for relation, entity in answers.items() if entity in listed]
    seeds = [seed for name in asked.names for seed in name.seeds]
    if not listed:
        return ranking.with_more(seeds=seeds or ranking.seeds, notes=[_NO_LIST])
    names = graph.entity_names
    found = graph.relations.vectors.cosines_of(kept, query.vector)
    rows = sorted(listed, key=lambda one: (names[one].casefold(), names[one]))
    near = zip(rows, graph.entities.vectors.cosines_of(rows, query.vector).tolist(), strict=True)
    if asked.kind and not any(asked.kind in kinds(graph, one) for one in listed):
        notes.append(_KIND_UNKNOWN)
    return ranking.with_more(
        relations=list(map(RankedRow, kept, found.tolist())),
        seeds=seeds,
        further={"listed": [Seed(row, cosine, "listed") for row, cosine in near]},
        notes=notes,
    )


def _answers(graph: Graph, asked: Asked) -> dict[int, int]:
    """Return the answering relations, ordered by id, each with the entity asked for."""
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
    """Return the example relations of a kind in the first chunk that has any, with the examples."""
    for chunk in chunks:
        relations, _ = graph.chunk_relations.pairs(np.array([chunk]))
        found = {
            relation: int(graph.tails[relation])
            for relation in sorted(relations.tolist(), key=graph.relations.id_ranks.__getitem__)
            if graph.relation_words[relation] in INCLUDES
            and not graph.denied[relation]
            and terms(graph.entity_names[graph.heads[relation]])[-1:] == [kind]
        }
        if found:
            return found
    return {}


def _of_those(graph: Graph, found: Mapping[int, int], kind: str) -> dict[int, int]:
    of_kind = {one for one in set(found.values()) if kind in kinds(graph, one)}
    return {relation: one for relation, one in found.items() if one in of_kind}


def _done_to(graph: Graph, term: str) -> dict[int, int]:
    """Return all relations of a verb, each with its patient."""
    found = {}
    for relation, words in enumerate(graph.relation_words):
        if verb_term(words) != term or graph.denied[relation] or not graph.tells[relation]:
            continue
        if _PASSIVE.search(words):
            found[relation] = int(graph.heads[relation])
        elif not _WITH_PREPOSITION.search(words):
            found[relation] = int(graph.tails[relation])
    return found


def _by_verb(graph: Graph, verb: Verb) -> dict[int, int]:
    """Return the relations of the verb's name with that verb, and the other entity."""
    found = {}
    rows = np.array(verb.name.rows, dtype=np.int64)
    for relation in np.flatnonzero(graph.entity_relations.union(rows)).tolist():
        words = graph.relation_words[relation]
        if verb_term(words) != verb.term or bool(graph.denied[relation]) != verb.negated:
            continue
        head, tail = int(graph.heads[relation]), int(graph.tails[relation])
        wanted, given = (head, tail) if _wants_head(words, verb) else (tail, head)
        if given in verb.name.rows:
            found[relation] = wanted
    return found


def _wants_head(words: str, verb: Verb) -> bool:
    """Tell whether the verb asks for a relation's head, not its tail.

    "X replaces Y" and "Y is replaced by X" have head and tail exchanged. A relation such as "run on" has no passive:
    the name before the verb is its head.
    """
    if _PASSIVE.search(words):
        return verb.asks_for_patient
    if _WITH_PREPOSITION.search(words):
        return verb.name_follows
    return not verb.asks_for_patient


def _neighbours(graph: Graph, names: Iterable[NamedSeeds]) -> dict[int, int]:
    """Return the relations of names that are not negated, with the other entity."""
    return {
        relation: other
        for name in names
        for row in name.rows
        for relation, other in graph.steps(row)
        if not graph.denied[relation]
    }


def _of_kind(graph: Graph, asked: Asked, entities: set[int]) -> set[int]:
    """Return the entities of the kind asked for; all names if none is known to be of it."""
    entities -= {row for name in asked.names for row in name.rows}
    if asked.kind is None:
        return entities
    known = {row for row in entities if asked.kind in kinds(graph, row)}
    names = graph.entity_names
    return known or {row for row in entities if is_written_as_name(names[row].split())}
