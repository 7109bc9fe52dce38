"""Quality of an index: parsing measured against references, retrieval against questions."""

from graphrag_tasks.evaluate.metrics import all_gold_at_k, recall_at_k, reciprocal_rank
from graphrag_tasks.evaluate.parse_quality import evaluate_parse
from graphrag_tasks.evaluate.parse_report import DocumentResult, GroupScores, ParseReport
from graphrag_tasks.evaluate.questions import Question, read_questions
from graphrag_tasks.evaluate.report import QuestionResult, RetrievalReport, Scores
from graphrag_tasks.evaluate.retrieval import evaluate_retrieval

__all__ = [
    "DocumentResult",
    "GroupScores",
    "ParseReport",
    "Question",
    "QuestionResult",
    "RetrievalReport",
    "Scores",
    "all_gold_at_k",
    "evaluate_parse",
    "evaluate_retrieval",
    "read_questions",
    "recall_at_k",
    "reciprocal_rank",
]
