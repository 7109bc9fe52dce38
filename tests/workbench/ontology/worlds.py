"""What questions and a graph have, made by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from graphrag_tasks.retrieval.ranker.path_query import Pattern
from graphrag_tasks.workbench.ontology.needs import Fact, InducedOntology, InducedRelation, InducedType, Need
from graphrag_tasks.workbench.ontology.proposal import Consolidated, consolidated


def typed(name: str, *examples: str) -> InducedType:
    return InducedType(name=name, examples=list(examples))


def relation(name: str, **of: list[str]) -> InducedRelation:
    keys = ("domain", "range", "synonyms", "inverses")
    fields = {key: list[str]() for key in keys}
    return InducedRelation(name=name, **fields | of)


def fact(relation: str, head: str = "", tail: str = "", name: str = "A") -> Fact:
    return Fact("c", "d", relation, "h", "t", name, "B", head, tail)


def need(*facts: Fact, cluster: int = 0, named: Iterable[tuple[str, str]] = (), question: str = "?") -> Need:
    return Need(question, cluster, tuple(named), facts, facts)


def made(
    types: Iterable[InducedType],
    relations: Iterable[InducedRelation],
    needs: Sequence[Need],
    graph: Iterable[tuple[str, str, str, int]],
    labels: dict[str, str] | None = None,
) -> Consolidated:
    induced = InducedOntology(entity_types=list(types), relations=list(relations))
    known = labels or {}
    patterns = [Pattern(*one) for one in graph]
    return consolidated([induced], needs, patterns, lambda name: {known.get(name, "")} - {""})
