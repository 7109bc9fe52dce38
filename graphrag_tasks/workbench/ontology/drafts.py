"""Drafts: types and relations proposed for a question cluster, before consolidation."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from graphrag_tasks.workbench.ontology.gathering import Need

FREQUENCY, MODEL = "frequency", "model"
"""Origin of a draft."""

_TYPES, _RELATIONS = 12, 20
"""Drafts of a cluster by frequency. QuestionRAG's model named 194 types and 257 relations for
140 questions, about as many for as many clusters."""

_EXAMPLES = 5
"""Examples of a draft, for review; chosen."""


@dataclass(frozen=True)
class TypeDraft:
    """An entity type that a cluster of questions needs."""

    name: str
    cluster: int
    source: str
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class RelationDraft:
    """A relation type that a cluster of questions needs; `domain` and `range` name types."""

    name: str
    cluster: int
    source: str
    domain: tuple[str, ...] = ()
    range: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    inverses: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class Drafts:
    """Types and relations of one or all clusters."""

    types: tuple[TypeDraft, ...] = ()
    relations: tuple[RelationDraft, ...] = ()

    @classmethod
    def joined(cls, parts: Sequence[Drafts]) -> Drafts:
        """Return the drafts of several clusters, in order."""
        return cls(
            tuple(draft for part in parts for draft in part.types),
            tuple(relation for part in parts for relation in part.relations),
        )


def by_frequency(cluster: Sequence[Need]) -> Drafts:
    """Return the labels in questions and facts, and the facts' relations, by frequency.

    Labels that a question names count twice: its facts also include what it did not ask for.
    """
    labels: Counter[str] = Counter()
    relations: Counter[str] = Counter()
    examples: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for need in cluster:
        of_question: Counter[str] = Counter()
        for name, label in need.named:
            of_question[label] = 2
            examples[label][name] = None
        for fact in need.facts:
            for name, label in ((fact.head, fact.head_type), (fact.tail, fact.tail_type)):
                of_question[label] = of_question[label] or 1
                examples[label][name] = None
            examples[fact.relation][f"{fact.head} {fact.relation} {fact.tail}"] = None
        labels += of_question
        relations += Counter(one.relation for one in need.facts)
    del labels[""]
    number = cluster[0].cluster if cluster else 0
    return Drafts(
        tuple(
            TypeDraft(one, number, FREQUENCY, tuple(examples[one])[:_EXAMPLES])
            for one in _most(labels, _TYPES)
        ),
        tuple(
            RelationDraft(one, number, FREQUENCY, examples=tuple(examples[one])[:_EXAMPLES])
            for one in _most(relations, _RELATIONS)
        ),
    )


def _most(counted: Counter[str], most: int) -> list[str]:
    return sorted(counted, key=lambda one: (-counted[one], one))[:most]
