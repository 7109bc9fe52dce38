"""Gather what users' questions need: named entities, and facts of the passages found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from graphrag_tasks.graph.relation_kinds import ASSOCIATION, kind_of
from graphrag_tasks.language.bm25 import STOP_WORDS, terms
from graphrag_tasks.retrieval import ChunkHit, Index
from graphrag_tasks.workbench.ontology.facts import Fact, Facts
from graphrag_tasks.workbench.ontology.questions import clustered

MOST_SEARCHED = 1_000  # Questions searched, evenly from all clusters: a search takes 15 ms, without a reranker.
_CHUNKS = 5  # Chunks per question, as many as Recall@5 counts.


@dataclass(frozen=True)
class Need:
    """What a question needs of a graph.

    Attributes:
        cluster: Its number.
        named: Name and label of the entities that it names; the label is empty if unknown.
        facts: Facts of the passages found that touch these entities or contain only words of the question; if there are
            none, all facts. Associations are left out.
        asked: Those facts that it asks for: they relate its entities in its own words, if any do.
        passages: Passages found; empty if it was not searched.
    """

    question: str
    cluster: int
    named: tuple[tuple[str, str], ...] = ()
    facts: tuple[Fact, ...] = ()
    asked: tuple[Fact, ...] = ()
    passages: tuple[ChunkHit, ...] = ()

    @property
    def labels(self) -> frozenset[str]:
        """Labels of the named entities."""
        return frozenset(label for _, label in self.named if label)


def gather(index: Index, facts: Facts, questions: Sequence[str]) -> list[Need]:
    """Return what each question needs of an index's graph."""
    clusters = clustered(index.encode(questions)) if questions else []
    passages = {
        place: tuple(index.search(questions[place], "hybrid", _CHUNKS, rerank=0).chunks)
        for place in _evenly(clusters, MOST_SEARCHED)
    }
    stated = facts.in_chunks(sorted({hit.chunk_id for hits in passages.values() for hit in hits}))
    graph, needs = index.graph, []
    for place, (question, cluster) in enumerate(zip(questions, clusters, strict=True)):
        links = graph.linker.links(question)
        rows = list(dict.fromkeys(link.rows[0] for link in links if link.is_telling))
        named = tuple((graph.entity_names[row], graph.entity_types[row] or "") for row in rows)
        found = passages.get(place, ())
        told = [fact for hit in found for fact in stated.get(hit.chunk_id, ())]
        near, asked = _near(question, {graph.entities.ids[row].as_py() for row in rows}, told)
        needs.append(Need(question, cluster, named, near, asked, found))
    return needs


def labels_of(index: Index, name: str) -> list[str]:
    """Return the labels of the entities with a name."""
    types = (index.graph.entity_types[row] for row in index.graph.linker.entities(name))
    return [one for one in types if one]


def is_telling(relation: str) -> bool:
    """Tell whether a relation says more than that two things go together: not "be", "have"."""
    of_kind = kind_of(relation, conditional=False)
    return of_kind != ASSOCIATION and not STOP_WORDS.issuperset(terms(relation))


def _near(question: str, named: set[str], told: Sequence[Fact]) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    words = set(terms(question))

    def nearness(fact: Fact) -> int:
        said = {term for term in terms(fact.relation) if term not in STOP_WORDS}
        ends = (set(terms(name)) for name in (fact.head, fact.tail))
        touches = {fact.head_id, fact.tail_id} & named or any(end <= words for end in ends if end)
        return bool(touches) + (said <= words)

    telling = [(nearness(one), one) for one in told if is_telling(one.relation)]
    near = [one for how, one in telling if how] or [one for _, one in telling]
    most = max((how for how, _ in telling), default=0)
    return tuple(near), tuple(one for how, one in telling if how == most)


def _evenly(clusters: Sequence[int], most: int) -> list[int]:
    """Return question indexes drawn evenly: the first of each cluster, then the second, …."""
    seen: defaultdict[int, int] = defaultdict(int)
    order = []
    for place, cluster in enumerate(clusters):
        order.append((seen[cluster], place))
        seen[cluster] += 1
    return sorted(place for _, place in sorted(order)[:most])
