"""A proposed ontology: a schema file, and a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict

from graphrag_tasks.core.ids import content_id
from graphrag_tasks.graph.relationships import GraphSchema, read_schema
from graphrag_tasks.llm import Client
from graphrag_tasks.retrieval import Index
from graphrag_tasks.workbench.ontology.consolidate import Dropped, Kept, consolidated
from graphrag_tasks.workbench.ontology.inducing import induced
from graphrag_tasks.workbench.ontology.needs import Need, distinct, gather

Outside = Literal["map", "keep", "drop"]
"""Treatment of relations outside an ontology: mapped to "be related to", kept, or dropped."""

_HEADER = "# An ontology from users' questions (graphrag-tasks ontology).\n"


class Report(BaseModel):
    """Report beside an ontology's file: figures, and the outcome of each proposed name.

    Attributes:
        snapshot_id: The snapshot that the questions were searched in.
        based_on: Id of the ontology then in force; empty without one.
        asked: Questions of the file; `distinct` are different, and passages found for `searched`.
        covered: Questions whose entities the ontology has, and a relation that they ask for.
        clusters: Clusters of questions.
        by_model: Clusters that a model answered for.
        not_by_model: Clusters without a valid answer, by kind of failure.
        unsent: Clusters not asked about: nothing of them may be sent.
        triples: Triples between entities; `triples_covered` have a relation of the ontology.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    snapshot_id: str
    based_on: str
    asked: int
    distinct: int
    searched: int
    covered: int
    clusters: int
    by_model: int
    not_by_model: dict[str, int]
    unsent: int
    triples: int
    triples_covered: int
    kept: list[Kept]
    dropped: list[Dropped]


@dataclass(frozen=True)
class Proposal:
    """An ontology with its report.

    `text` is the schema file in YAML, as `read_schema` reads it.
    """

    text: str
    report: Report

    @property
    def id(self) -> str:
        """Hash of the file's bytes."""
        return ontology_id(self.text)

    @property
    def schema(self) -> GraphSchema:
        """The parsed schema."""
        return read_schema(self.text, f"ontology {self.id}")


def ontology_id(text: str) -> str:
    """Return the id of an ontology's file."""
    return content_id("ontology", text)


def propose(
    index: Index,
    questions: Sequence[str],
    client: Client | None = None,
    *,
    based_on: str = "",
    outside: Outside = "keep",
) -> Proposal:
    """Return the ontology that users' questions ask for (QuestionRAG, "Surfacing the structure").

    Questions are clustered, types and relations named for each cluster and its passages, and all consolidated. The same
    questions, snapshot and answers give the same bytes.

    Args:
        index: With all documents: an ontology is for all readers.
        questions: What users asked.
        client: Client of a model that names types and relations; None: those in use are listed.
        based_on: Id of the ontology in force; empty without one.
        outside: Treatment of relations outside the ontology.
    """
    needs, patterns = gather(index, distinct(questions))
    clusters: dict[int, list[Need]] = {}
    for need in needs:
        clusters.setdefault(need.cluster, []).append(need)
    found = induced([*clusters.values()], client, index.snapshot)

    def labels_of(name: str) -> list[str]:
        types = (index.graph.entity_types[row] for row in index.graph.linker.entities(name))
        return [one for one in types if one]

    made = consolidated(found.named, needs, patterns, labels_of)
    schema = made.schema.model_copy(update={"on_violation": outside})
    labels = {label for of_type in schema.entity_types.values() for label in of_type} | {""}
    wordings = {rule["wording"] for rule in schema.rules()}
    report = Report(
        snapshot_id=index.snapshot.snapshot_id,
        based_on=based_on,
        asked=len(questions),
        distinct=len(needs),
        searched=sum(bool(need.passages) for need in needs),
        covered=sum(
            all(label in labels for _, label in need.named) and any(fact.relation in wordings for fact in need.asked)
            for need in needs
        ),
        clusters=len(clusters),
        by_model=found.by_model,
        not_by_model=found.failed,
        unsent=found.unsent,
        triples=sum(pattern.count for pattern in patterns),
        triples_covered=sum(pattern.count for pattern in patterns if pattern.relation in wordings),
        kept=made.kept,
        dropped=made.dropped,
    )
    return Proposal(schema_text(schema), report)


def schema_text(schema: GraphSchema) -> str:
    """Return a schema as file text, which reads back to the same schema."""
    relations = {
        name: {key: value for key, value in relation_type.model_dump().items() if value}
        for name, relation_type in schema.relations.items()
    }
    values = schema.model_dump() | {"relations": relations}
    return _HEADER + yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=100)
