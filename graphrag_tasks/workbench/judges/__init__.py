"""Judges of answers: a language model that is itself checked, or gold and words.

In: located questions and an index. Out: an `AnswersReport`. Open `evaluation.py` first.
"""

from graphrag_tasks.workbench.evaluation.unaided import COVERAGE, unaided
from graphrag_tasks.workbench.judges.evaluation import evaluate_answers, judge_unaided
from graphrag_tasks.workbench.judges.judge import VOTES, Judge
from graphrag_tasks.workbench.judges.report import AnswersReport
from graphrag_tasks.workbench.judges.verdicts import Answered, JudgeCheck, JudgedByHand, Pair, check_judge, preferred

__all__ = [
    "COVERAGE",
    "VOTES",
    "Answered",
    "AnswersReport",
    "Judge",
    "JudgeCheck",
    "JudgedByHand",
    "Pair",
    "check_judge",
    "evaluate_answers",
    "judge_unaided",
    "preferred",
    "unaided",
]
