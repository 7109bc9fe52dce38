"""Propose an ontology for a store, for the command and the DAG."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from graphrag_tasks.core.config import Config
from graphrag_tasks.llm import Client
from graphrag_tasks.retrieval import ALL_DOCUMENTS, open_index
from graphrag_tasks.workbench.ontology.difference import to_markdown
from graphrag_tasks.workbench.ontology.proposal import Outside, Proposal, propose
from graphrag_tasks.workbench.ontology.questions import read_asked
from graphrag_tasks.workbench.ontology.versions import Ontologies


class Asked(NamedTuple):
    """An approval request: the id, a subject line, and the differences as Markdown."""

    id: str
    subject: str
    body: str


def propose_in_store(
    config: Config, questions: str | Path, *, by_model: bool = False, outside: Outside = "keep", run: str = "ontology"
) -> Proposal:
    """Propose an ontology for a store's current snapshot, and store the proposal.

    Args:
        config: Store, search, and with `by_model` the language model.
        questions: JSON lines, each with `question`.
        by_model: Whether `llm.models.ontology` names types and relations.
        outside: Treatment of relations outside the ontology.
        run: Name of the run, under which spending counts after a kill.
    """
    asked = read_asked(questions)
    index = open_index(
        config.store, principals=ALL_DOCUMENTS, config=config.retrieval, language=config.language, load=config.load
    )
    client = Client(config.llm, config.store, run) if by_model else None
    ontologies = Ontologies(config.store)
    based_on = ontologies.id_in_force()
    proposal = propose(index, asked, client, based_on=based_on, outside=outside, sql=config.sql)
    ontologies.keep(proposal)
    return proposal


def shown_in_store(store: str, proposal_id: str) -> Asked | None:
    """Return the approval request for a proposal, marked as shown; None if already in force."""
    ontologies = Ontologies(store)
    if ontologies.id_in_force() == proposal_id:
        return None
    proposal = ontologies.show(proposal_id)
    report = proposal.report
    subject = f"Put ontology {proposal.id} in force? It covers {report.covered} of {report.searched} questions."
    return Asked(proposal.id, subject, to_markdown(proposal, ontologies.in_force()))
