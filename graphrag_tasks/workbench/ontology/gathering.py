"""Gather what users' questions need: named entities, and facts of the passages found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from graphrag_tasks.language.bm25 import STOP_WORDS, terms
from graphrag_tasks.retrieval import Index
from graphrag_tasks.retrieval.ranker.path_query import Pattern
from graphrag_tasks.workbench.ontology.facts import Fact, Facts
from graphrag_tasks.workbench.ontology.questions import clustered
from graphrag_tasks.workbench.ontology.wordings import is_general_relation

MOST_SEARCHED = 1_000
"""Questions searched, evenly from all clusters: a search takes 15 ms, without a reranker."""

_CHUNKS = 5
"""Chunks per question, as many as Recall@5 counts."""


@dataclass(frozen=True)
class Passage:
    """A chunk found for a question."""

    chunk_id: str
    document_id: str
    title: str
    text: str


@dataclass(frozen=True)
class Need:
    """What a question needs of a graph.

    Attributes:
        cluster: Its number.
        named: Name and label of the entities that it names; the label is empty if unknown.
        facts: Facts of the passages found that touch these entities or contain only words of the
            question; if there are none, all facts. Associations are left out.
        asked: Those facts that it asks for: they relate its entities in its own words, if any do.
        passages: Passages found; empty if it was not searched.
        searched: Whether it was searched.
    """

    question: str
    cluster: int
    named: tuple[tuple[str, str], ...] = ()
    facts: tuple[Fact, ...] = ()
    asked: tuple[Fact, ...] = ()
    passages: tuple[Passage, ...] = ()
    searched: bool = True

    @property
    def types(self) -> frozenset[str]:
        """Labels of the named entities."""
        return frozenset(label for _, label in self.named if label)


@dataclass(frozen=True)
class Gathered:
    """The input of a proposal.

    Attributes:
        needs: One for each question.
        patterns: Number of triples by types and relation.
        labels: Entity labels by name, for the names in questions and facts.
    """

    needs: tuple[Need, ...]
    patterns: tuple[Pattern, ...]
    labels: dict[str, str] = field(default_factory=dict)

    def clusters(self) -> list[list[Need]]:
        """Return the needs by cluster."""
        found: defaultdict[int, list[Need]] = defaultdict(list)
        for need in self.needs:
            found[need.cluster].append(need)
        return [found[number] for number in sorted(found)]


def gather(index: Index, facts: Facts, questions: Sequence[str]) -> Gathered:
    """Return what questions need of an index's graph."""
    clusters = clustered(index.encode(questions)) if questions else []
    searched = _evenly(clusters, MOST_SEARCHED)
    passages = {place: _found(index, questions[place]) for place in sorted(searched)}
    ids = sorted({passage.chunk_id for found in passages.values() for passage in found})
    stated = facts.in_chunks(ids)
    needs = []
    for place, (question, cluster) in enumerate(zip(questions, clusters, strict=True)):
        rows = _named(index, question)
        found = passages.get(place, ())
        told = [fact for passage in found for fact in stated.get(passage.chunk_id, ())]
        ids_named = {index.graph.entities.ids[row].as_py() for row in rows}
        named = tuple(
            (index.graph.entity_names[row], index.graph.entity_types[row] or "") for row in rows
        )
        near, asked = _near(question, ids_named, told)
        needs.append(Need(question, cluster, named, near, asked, found, place in searched))
    return Gathered(tuple(needs), tuple(facts.patterns()), _labels(needs))


def labels_of(index: Index, name: str) -> list[str]:
    """Return the labels of the entities with a name."""
    types = (index.graph.entity_types[row] for row in index.graph.linker.entities(name))
    return [one for one in types if one]


def _found(index: Index, question: str) -> tuple[Passage, ...]:
    hits = index.search(question, "hybrid", _CHUNKS, rerank=0).chunks
    return tuple(Passage(hit.chunk_id, hit.document_id, hit.title, hit.text) for hit in hits)


def _named(index: Index, question: str) -> list[int]:
    links = index.graph.linker.links(question)
    return list(dict.fromkeys(link.rows[0] for link in links if link.is_telling))


def _near(
    question: str, named: set[str], told: Sequence[Fact]
) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    words = set(terms(question))

    def nearness(fact: Fact) -> int:
        said = {term for term in terms(fact.relation) if term not in STOP_WORDS}
        ends = (set(terms(name)) for name in (fact.head, fact.tail))
        touches = {fact.head_id, fact.tail_id} & named or any(end <= words for end in ends if end)
        return bool(touches) + (said <= words)

    telling = [(nearness(one), one) for one in told if not is_general_relation(one.relation)]
    near = [one for how, one in telling if how] or [one for _, one in telling]
    most = max((how for how, _ in telling), default=0)
    return tuple(near), tuple(one for how, one in telling if how == most)


def _evenly(clusters: Sequence[int], most: int) -> frozenset[int]:
    """Return question indexes drawn evenly: the first of each cluster, then the second, …."""
    seen: defaultdict[int, int] = defaultdict(int)
    order = []
    for place, cluster in enumerate(clusters):
        order.append((seen[cluster], place))
        seen[cluster] += 1
    return frozenset(place for _, place in sorted(order)[:most])


def _labels(needs: Sequence[Need]) -> dict[str, str]:
    found: dict[str, str] = {}
    for need in needs:
        found |= {name: label for name, label in need.named if label}
        for fact in need.facts:
            found |= {fact.head: fact.head_type} if fact.head_type else {}
            found |= {fact.tail: fact.tail_type} if fact.tail_type else {}
    return found
