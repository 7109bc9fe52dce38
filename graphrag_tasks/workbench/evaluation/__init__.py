"""Evaluation of retrieval: questions with known sources, metrics, reports, and the gate.

In: a file of questions and an index. Out: figures by mode. Open `gate.py`, then `retrieval.py`.
"""

from graphrag_tasks.workbench.evaluation.gate import Gate, evaluate_store, gate
from graphrag_tasks.workbench.evaluation.gold import paired_bootstrap
from graphrag_tasks.workbench.evaluation.questions import GoldSpan, Question, Span, read_questions
from graphrag_tasks.workbench.evaluation.report import Comparison, RetrievalReport, evaluate_retrieval

__all__ = [
    "Comparison",
    "Gate",
    "GoldSpan",
    "Question",
    "RetrievalReport",
    "Span",
    "evaluate_retrieval",
    "evaluate_store",
    "gate",
    "paired_bootstrap",
    "read_questions",
]
