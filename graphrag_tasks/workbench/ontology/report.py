"""What a proposal says of itself: what each type and relation rests on, and what was left out."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

TYPE, RELATION = "type", "relation"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Kept(_Strict):
    """A type or relation of the ontology.

    Attributes:
        kind: `type` or `relation`.
        examples: Entities of the type, or facts of the relation, as texts have them.
        sources: Who proposed it: `frequency` or `model`.
        clusters: Clusters of questions that need it.
        questions: Share of the questions that it serves: they name such an entity, or a fact that
            they ask for has the relation.
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
    """A proposed name that is not in the ontology, or not by that name.

    Attributes:
        into: What it was merged into; empty where it was dropped.
        clusters: Clusters of questions that it was proposed for.
    """

    kind: str
    name: str
    why: str
    into: str = ""
    clusters: int = 1


class Report(_Strict):
    """Beside an ontology's file: figures, and what became of each name that was proposed.

    Attributes:
        snapshot_id: The snapshot that the questions were put to.
        based_on: Id of the ontology in force when it was made; empty without one.
        asked: Questions of the file, `distinct` those read, `left_out` those beyond the bound, and
            `searched` those that passages were looked up for.
        covered: Questions searched whose entities and relations the ontology has.
        clusters: Clusters of questions.
        by_model: Clusters that a model answered for.
        not_by_model: Clusters it gave no valid answer for, by the kind of failure.
        unsent: Clusters that it was not asked about: nothing of them may be sent.
        triples: Triples between entities, and `triples_covered` those inside the ontology.
        proposed_types: Different names of types that were proposed.
        proposed_relations: Different names of relations.
        conflicts: Wordings that were said to be the same and the reverse; the first holds.
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
