"""A proposed ontology: a schema file, and a report."""

from __future__ import annotations

from dataclasses import dataclass

import yaml

from graphrag_tasks.core.config import SqlConfig
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.graph.relationships import GraphSchema, read_schema
from graphrag_tasks.llm import Client
from graphrag_tasks.retrieval import Index
from graphrag_tasks.workbench.ontology.consolidate import (
    MOST_RELATIONS,
    MOST_TYPES,
    Consolidated,
    Outside,
    consolidated,
)
from graphrag_tasks.workbench.ontology.facts import facts_of
from graphrag_tasks.workbench.ontology.gathering import Gathered, gather, labels_of
from graphrag_tasks.workbench.ontology.inducing import Induced, induced
from graphrag_tasks.workbench.ontology.questions import Questions
from graphrag_tasks.workbench.ontology.report import Report

_HEADER = "# An ontology from users' questions (graphrag-tasks ontology propose).\n"


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
    questions: Questions,
    client: Client | None = None,
    *,
    based_on: str = "",
    most_types: int = MOST_TYPES,
    most_relations: int = MOST_RELATIONS,
    outside: Outside = "keep",
    sql: SqlConfig | None = None,
) -> Proposal:
    """Return the ontology that users' questions ask for (QuestionRAG, "Surfacing the structure").

    Questions are clustered, types and relations named for each cluster and its passages, and all
    consolidated. The same questions, snapshot and answers give the same bytes.

    Args:
        index: With all documents: an ontology is for all readers.
        questions: What users asked.
        client: Client of a model that names types and relations; None: by frequency.
        based_on: Id of the ontology in force; empty without one.
        most_types: Number of entity types wanted.
        most_relations: Number of relation types wanted.
        outside: Treatment of relations outside the ontology.
        sql: Limits for reading the graph.

    Raises:
        AccessError: The index is of a reader who may not see all documents.
        TerminalError: The model cannot be asked, or no answer at all is valid.
        TransientError: The endpoint is unavailable for long; answers so far are kept.
    """
    with facts_of(index.snapshot, sql) as facts:
        gathered = gather(index, facts, questions.texts)
    found = induced(gathered.clusters(), client, index.snapshot)
    made = consolidated(
        found.drafts, gathered, lambda name: labels_of(index, name), index.encode,
        most_types=most_types, most_relations=most_relations, outside=outside,
    )  # fmt: skip
    report = _report(index, questions, gathered, found, made, based_on)
    return Proposal(schema_text(made.schema), report)


def schema_text(schema: GraphSchema) -> str:
    """Return a schema as file text, which reads back to the same schema."""
    relations = {
        name: {key: value for key, value in relation_type.model_dump().items() if value}
        for name, relation_type in schema.relations.items()
    }
    values = schema.model_dump() | {"relations": relations}
    return _HEADER + yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=100)


def _report(
    index: Index,
    questions: Questions,
    gathered: Gathered,
    found: Induced,
    made: Consolidated,
    based_on: str,
) -> Report:
    return Report(
        snapshot_id=index.snapshot.snapshot_id,
        based_on=based_on,
        asked=questions.asked,
        distinct=len(questions.texts),
        left_out=questions.left_out,
        searched=sum(need.searched for need in gathered.needs),
        covered=len(made.covered),
        clusters=len(gathered.clusters()),
        by_model=found.by_model,
        not_by_model=found.failed,
        unsent=found.unsent,
        triples=sum(pattern.count for pattern in gathered.patterns),
        triples_covered=made.triples_covered,
        proposed_types=len({draft.name for draft in found.drafts.types}),
        proposed_relations=len({relation.name for relation in found.drafts.relations}),
        kept=[*made.types.kept, *made.relations.kept],
        dropped=[*made.types.dropped, *made.relations.dropped],
        conflicts=list(made.relations.conflicts),
    )
