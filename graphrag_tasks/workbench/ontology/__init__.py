"""An ontology from users' questions: proposed, consolidated, approved (QuestionRAG).

QuestionRAG ("Surfacing the structure") has users' questions decide which types and relations a
graph has. Here a run maps relations by the ontology that a person approved.
"""

from graphrag_tasks.workbench.ontology.difference import Change, changes, to_markdown
from graphrag_tasks.workbench.ontology.in_store import Asked, propose_in_store, shown_in_store
from graphrag_tasks.workbench.ontology.proposal import Proposal, propose
from graphrag_tasks.workbench.ontology.questions import Questions, read_asked
from graphrag_tasks.workbench.ontology.report import Dropped, Kept, Report
from graphrag_tasks.workbench.ontology.versions import Ontologies

__all__ = [
    "Asked",
    "Change",
    "Dropped",
    "Kept",
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
