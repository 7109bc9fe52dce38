"""Report of a proposal: support of each type and relation, and what was left out."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

TYPE, RELATION = "type", "relation"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Kept(_Strict):
    """A type or relation of the ontology.

    Attributes:
        kind: `type` or `relation`.
        examples: Entities of the type, or facts of the relation, as in texts.
        sources: Origin: `frequency` or `model`.
        clusters: Clusters of questions that need it.
        questions: Share of the questions that it serves: they name such an entity, or ask for a
            fact with the relation.
        triples: Share of the graph's triples between entities that have it.
    """

    kind: str
    name: str
    examples: list[str]
    sources: list[str]
    clusters: int
    questions: float
    triples: float


class Dropped(_Strict):
    """A proposed name that is not in the ontology, or under another name.

    Attributes:
        into: Name that it was merged into; empty if dropped.
        clusters: Clusters of questions that it was proposed for.
    """

    kind: str
    name: str
    why: str
    into: str = ""
    clusters: int = 1


class Report(_Strict):
    """Report beside an ontology's file: figures, and the outcome of each proposed name.

    Attributes:
        snapshot_id: The snapshot that the questions were searched in.
        based_on: Id of the ontology then in force; empty without one.
        asked: Questions of the file; `distinct` were read, `left_out` beyond the limit, and
            `searched` searched for passages.
        covered: Searched questions whose entities and relations the ontology has.
        clusters: Clusters of questions.
        by_model: Clusters that a model answered for.
        not_by_model: Clusters without a valid answer, by kind of failure.
        unsent: Clusters not asked about: nothing of them may be sent.
        triples: Triples between entities; `triples_covered` are inside the ontology.
        proposed_types: Distinct proposed type names.
        proposed_relations: Distinct proposed relation names.
        conflicts: Wordings stated to be both equal and inverse; the first statement holds.
    """

    snapshot_id: str
    based_on: str = ""
    asked: int
    distinct: int
    left_out: int
    searched: int
    covered: int
    clusters: int
    by_model: int = 0
    not_by_model: dict[str, int] = Field(default_factory=dict)
    unsent: int = 0
    triples: int
    triples_covered: int
    proposed_types: int
    proposed_relations: int
    kept: list[Kept]
    dropped: list[Dropped]
    conflicts: list[str]
