"""Evaluation of retrieval: questions with known sources, metrics, reports, and the gate.

In: a file of questions and an index. Out: figures by mode. Open `gate.py`, then `retrieval.py`.
"""

from graphrag_tasks.workbench.evaluation.comparison import Comparison, Difference, paired_bootstrap
from graphrag_tasks.workbench.evaluation.gate import Gate, evaluate_store, gate
from graphrag_tasks.workbench.evaluation.metrics import all_gold_at_k, recall_at_k, reciprocal_rank
from graphrag_tasks.workbench.evaluation.questions import GoldSpan, Question, Span, read_questions
from graphrag_tasks.workbench.evaluation.report import QuestionResult, RetrievalReport, Scores
from graphrag_tasks.workbench.evaluation.retrieval import evaluate_retrieval

__all__ = [
    "Comparison",
    "Difference",
    "Gate",
    "GoldSpan",
    "Question",
    "QuestionResult",
    "RetrievalReport",
    "Scores",
    "Span",
    "all_gold_at_k",
    "evaluate_retrieval",
    "evaluate_store",
    "gate",
    "paired_bootstrap",
    "read_questions",
    "recall_at_k",
    "reciprocal_rank",
]
