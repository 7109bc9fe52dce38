"""Ontology from users' questions: proposed, consolidated, approved (QuestionRAG).

QuestionRAG ("Surfacing the structure") lets users' questions decide a graph's types and relations. In: questions and an
index. Out: a schema that runs apply once a person approves it. Open `in_store.py`, then `proposal.py`.
"""

from graphrag_tasks.workbench.ontology.difference import Change, changes, to_markdown
from graphrag_tasks.workbench.ontology.in_store import Asked, propose_in_store, shown_in_store
from graphrag_tasks.workbench.ontology.proposal import Proposal, Report, propose
from graphrag_tasks.workbench.ontology.questions import Questions, read_asked
from graphrag_tasks.workbench.ontology.versions import Ontologies

__all__ = [
    "Asked",
    "Change",
    "Ontologies",
    "Proposal",
    "Questions",
    "Report",
    "changes",
    "propose",
    "propose_in_store",
    "read_asked",
    "shown_in_store",
    "to_markdown",
]
