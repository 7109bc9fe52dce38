"""An ontology from users' questions: proposed, consolidated, approved (QuestionRAG)."""

from graphrag_tasks.ontology.proposal import Proposal, propose
from graphrag_tasks.ontology.questions import Questions, read_asked
from graphrag_tasks.ontology.report import Dropped, Kept, Report

__all__ = ["Dropped", "Kept", "Proposal", "Questions", "Report", "propose", "read_asked"]
