"""Ontology from users' questions: proposed, consolidated, approved (QuestionRAG).

In: questions and an index. Out: a schema that runs apply once a person approves it. Open `proposal.py`, then
`versions.py`.
"""

from graphrag_tasks.workbench.ontology.proposal import Proposal, Report, propose
from graphrag_tasks.workbench.ontology.versions import Ontologies, changes, propose_in_store, shown_in_store

__all__ = ["Ontologies", "Proposal", "Report", "changes", "propose", "propose_in_store", "shown_in_store"]
