"""Mode `list`: everything of a kind, complete and counted.

"Which tables were replaced by X" gives every entity at the other end of such a relation of X; "tables that replaced X"
gives the other end. If some answers are known to be of the kind ("tables") by name, type or statements, only these are
listed; common nouns of another kind never are.

"All tables of X" lists the neighbours of X known to be tables; "all tables" what statements call a table; "tables that
were replaced" those with such a statement. If no relation answers, one of the first passages may list examples
("monitors such as …").

A listing question has a kind of thing, a verb with its voice, and a name; the order of words and names tells them,
without a parser.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import zip_longest

import numpy as np

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.language.bm25 import STOP_WORDS, fold, terms
from graphrag_tasks.language.known_names import is_written_as_name
from graphrag_tasks.language.names import INCLUDES
from graphrag_tasks.retrieval.graph.filters import kinds
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import NamedSeeds, Query, RankedRow, Ranking, Seed, named_seeds
from graphrag_tasks.retrieval.ranker import learned

_WORD = re.compile(r"[^\W_]+(?:['’./_-][^\W_]+)*")
_WORDS = json.loads((resources.files(__package__) / "listing.json").read_text("utf-8"))
_PREPOSITIONS: list[str] = _WORDS["prepositions"]
_LEAD = re.compile(
    r"(?:^\W*|(?<=[.:;?!]) |(?<= - ))(?:please )?"
    rf"(?:(?:{'|'.join(_PREPOSITIONS)}) )?"
    r"(?:which|what|list|name|show|enumerate|give)\b(?: me| are(?= (?:all|the|my|our)\b))?"
    r"(?: (?:all|every|each|the|my|our|of|a|list|other|different|kinds?|types?)\b)*",
    re.IGNORECASE,
)
_BE = frozenset(("is", "are", "was", "were", "be", "been", "being", "get", "gets", "got"))
_NOT = frozenset(("not", "never", "cannot", "without"))
_SAYING_NOTHING = STOP_WORDS | {"exist", "exists", "available", "known", "all"}
_RELATIVE = frozenset(("that", "which", "who"))
_SINGULAR = frozenset(_WORDS["singular_in_s"])  # Words ending in s that are not a plural kind.

_MOST_KIND_WORDS, _MOST_BETWEEN, _ADVERBS_BETWEEN = 4, 4, 3
"""Words before the plural, between a verb and its name, and from "be" to its participle; chosen."""
_IRREGULAR: dict[str, str] = _WORDS["irregular_forms"]


@dataclass(frozen=True)
class Verb:
    """A verb of a question, and its given subject or object.

    `term` is its stem; `name_follows` says that the name stands after the verb.
    """

    term: str
    passive: bool
    negated: bool
    name: NamedSeeds
    name_follows: bool

    @property
    def asks_for_patient(self) -> bool:
        """Whether it asks for the patient: "replaced by X", "X replaced"."""
        return self.passive == self.name_follows


@dataclass(frozen=True)
class ListingQuestion:
    """A parsed listing question.

    Attributes:
        kind: Stem of the noun for the kind of thing, or None.
        verbs: Verbs with a name, in order.
        done: Stem of a passive without a name, "replaced" in "which tables were replaced"; or None.
        names: Names after the kind.
        kind_names: Names that are the kind itself.
        is_bare: Whether it only names the kind: "list all tables".
    """

    kind: str | None
    verbs: tuple[Verb, ...]
    done: str | None
    names: tuple[NamedSeeds, ...]
    kind_names: tuple[NamedSeeds, ...]
    is_bare: bool


def verb_term(words: str) -> str | None:
    """Return the stem of the first content word, or None."""
    for word in _WORD.findall(words):
        if found := terms(_IRREGULAR.get(fold(word), word)):
            return found[0]
    return None


def read(question: str, named: Sequence[NamedSeeds]) -> ListingQuestion:
    """Parse a listing question, given the names in it in order."""
    words = list(_WORD.finditer(question))
    lead = _LEAD.search(question)
    kind = _kind(words, lead.end() if lead else 0, asks=lead is not None)
    begin = kind.end() if kind else lead.end() if lead else 0
    names = tuple(seeds for seeds in named if seeds.start >= begin)
    return ListingQuestion(
        kind=verb_term(kind[0]) if kind else None,
        verbs=tuple(_verbs(words, names, begin)) if lead or kind else (),
        done=None if any(name.as_name for name in names) else _done(words, begin),
        names=names,
        kind_names=tuple(seeds for seeds in named if kind and seeds.start == kind.start()),
        is_bare={fold(word[0]) for word in words if word.start() >= begin} <= _SAYING_NOTHING,
    )


def _kind(words: Sequence[re.Match[str]], begin: int, *, asks: bool) -> re.Match[str] | None:
    """Return the first plural after the asking words; without these, a plural before "that"."""
    near = [word for word in words if word.start() >= begin][: _MOST_KIND_WORDS + 1]
    for word, following in zip_longest(near, near[1:]):
        folded = fold(word[0])
        if folded in STOP_WORDS:
            return None
        if folded.endswith("s") and folded not in _SINGULAR:
            relative = following is not None and fold(following[0]) in _RELATIVE
            return word if asks or relative else None
    return None


def _verbs(words: Sequence[re.Match[str]], names: Sequence[NamedSeeds], begin: int) -> Iterator[Verb]:
    folded = [fold(word[0]) for word in words]
    for place, word in enumerate(words):
        in_a_name = any(name.start <= word.start() < name.end for name in names)
        if word.start() < begin or in_a_name or folded[place] in STOP_WORDS:
            continue
        before = folded[max(0, place - _ADVERBS_BETWEEN) : place]
        following = folded[place + 1] if place + 1 < len(folded) else ""
        term, beside = verb_term(word[0]), _name_of(words, names, place)
        if term is None or beside is None or folded[place] in _PREPOSITIONS:
            continue
        passive = _is_done(folded[place], before) or following == "by"
        negated = not _NOT.isdisjoint(before) or any(one.endswith("n't") for one in before)
        yield Verb(term, passive, negated, beside, name_follows=beside.start > word.start())


def _done(words: Sequence[re.Match[str]], begin: int) -> str | None:
    """Return the stem of a passive that ends a question, or None."""
    *before, last = [fold(word[0]) for word in words if word.start() >= begin] or [""]
    denied = not _NOT.isdisjoint(before)
    return None if denied or not _is_done(last, before[-_ADVERBS_BETWEEN:]) else verb_term(last)


def _is_done(word: str, before: Sequence[str]) -> bool:
    return not _BE.isdisjoint(before) and not word.endswith("ing")


def _name_of(words: Sequence[re.Match[str]], names: Sequence[NamedSeeds], place: int) -> NamedSeeds | None:
    """Return a verb's subject if that is a name, else a name soon after it."""
    verb = words[place].start()
    for name in reversed(names):
        if name.end <= verb and not _follows_preposition(words, name):
            return name
    after = next((name for name in names if name.start > verb), None)
    if after is None:
        return None
    between = sum(verb < word.start() < after.start for word in words)
    return after if between <= _MOST_BETWEEN else None


def _follows_preposition(words: Sequence[re.Match[str]], name: NamedSeeds) -> bool:
    """Tell whether a name follows a preposition, so that it is no subject: "tables of X"."""
    before = [fold(word[0]) for word in words if word.end() <= name.start]
    return next((one in _PREPOSITIONS for one in reversed(before) if one != "the"), False)


_PASSIVE = re.compile(r"^be \w+(?:ed|en|t|wn|ne|ld|nd|de|id)\b|\bby$")
_WITH_PREPOSITION = re.compile(r" (?:at|for|from|in|into|of|on|onto|over|to|under|via|with|as)$")
_DENIED = re.compile(r"\b(?:not|never|cannot|no longer|without)\b|n['’]t\b", re.IGNORECASE)
_READ = 3  # Passages that may list examples.

_FROM_A_PASSAGE = "Listed is what one passage says things of the kind include, whatever else is asked."
_NO_LIST = "No relation of what the question names has its verb and kind: nothing could be listed."
_KIND_UNKNOWN = "No statement, label or name says which of the things listed are of the kind asked."


def rank(graph: Graph, query: Query, config: RetrievalConfig) -> Ranking:
    """Return all entities that the question asks for, with the chunks of mode `ranked`."""
    ranking = learned.rank(graph, query, config)
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


def _answers(graph: Graph, asked: ListingQuestion) -> dict[int, int]:
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


def _of_kind(graph: Graph, asked: ListingQuestion, entities: set[int]) -> set[int]:
    """Return the entities of the kind asked for; all names if none is known to be of it."""
    entities -= {row for name in asked.names for row in name.rows}
    if asked.kind is None:
        return entities
    known = {row for row in entities if asked.kind in kinds(graph, row)}
    names = graph.entity_names
    return known or {row for row in entities if is_written_as_name(names[row].split())}
