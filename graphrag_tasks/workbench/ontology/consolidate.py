"""Consolidate the drafts of all question clusters into one ontology, without a model.

QuestionRAG's model named 194 entity types and 257 relation types for 140 questions. Most are the
same in other words, or absent in the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from graphrag_tasks.graph.relationships import GraphSchema
from graphrag_tasks.workbench.ontology.drafts import Drafts
from graphrag_tasks.workbench.ontology.gathering import Gathered, Need
from graphrag_tasks.workbench.ontology.relations import Relations, consolidated_relations
from graphrag_tasks.workbench.ontology.selection import Encode
from graphrag_tasks.workbench.ontology.types import Types, consolidated_types

MOST_TYPES, MOST_RELATIONS = 30, 60
"""Largest number of types and relations, which a person can still review."""

Outside = Literal["map", "keep", "drop"]
"""Treatment of relations outside an ontology: mapped to "be related to", kept, or dropped."""


@dataclass(frozen=True)
class Consolidated:
    """An ontology, and its coverage.

    Attributes:
        schema: Schema by which the run maps relations.
        covered: Indexes of the covered questions.
        triples_covered: Number of the graph's triples inside it.
    """

    schema: GraphSchema
    types: Types
    relations: Relations
    covered: frozenset[int]
    triples_covered: int


def consolidated(
    drafts: Drafts,
    gathered: Gathered,
    labels_of: Callable[[str], Iterable[str]],
    encode: Encode,
    *,
    most_types: int = MOST_TYPES,
    most_relations: int = MOST_RELATIONS,
    outside: Outside = "keep",
) -> Consolidated:
    """Return one ontology, independent of the order of drafts.

    Args:
        drafts: Drafts of all clusters.
        gathered: What the questions and the graph have.
        labels_of: Returns the labels of the entities with a name.
        encode: Returns unit vectors of texts.
        most_types: Number of entity types wanted.
        most_relations: Number of relation types wanted.
        outside: Treatment of relations outside the ontology.
    """
    types = consolidated_types(drafts.types, gathered, labels_of, encode, most_types)
    relations = consolidated_relations(drafts.relations, gathered, types, encode, most_relations)
    schema = GraphSchema(
        entity_types=dict(types.labels), relations=dict(relations.types), on_violation=outside
    )
    inside = _Inside(schema)
    return Consolidated(
        schema,
        types,
        relations,
        frozenset(place for place, need in enumerate(gathered.needs) if inside.covers(need)),
        sum(
            pattern.count
            for pattern in gathered.patterns
            if inside.has(pattern.head_type, pattern.relation, pattern.tail_type)
        ),
    )


class _Inside:
    """Decides what is inside a schema, as the stage `relationships` does."""

    def __init__(self, schema: GraphSchema) -> None:
        self._labels = {label for labels in schema.entity_types.values() for label in labels}
        self._rules = {str(rule["wording"]): rule for rule in schema.rules()}

    def covers(self, need: Need) -> bool:
        """Tell whether all labels of a question, and a fact that it asks for, are inside."""
        return need.types <= self._labels and any(
            self.has(fact.head_type, fact.relation, fact.tail_type) for fact in need.asked
        )

    def has(self, head: str, relation: str, tail: str) -> bool:
        """Tell whether a relation between these labels is inside."""
        rule = self._rules.get(relation)
        if rule is None:
            return False
        start, end = (tail, head) if rule["inverse"] else (head, tail)
        return all(
            wanted is None or not label or label in wanted
            for wanted, label in ((rule["heads"], start), (rule["tails"], end))
        )
