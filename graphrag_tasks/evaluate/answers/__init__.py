"""Quality of answers: by a language model that is judged itself, or by gold and words alone."""

from graphrag_tasks.evaluate.answers.check import JudgeCheck, JudgedByHand, check_judge
from graphrag_tasks.evaluate.answers.evaluation import evaluate_answers, judge_unaided
from graphrag_tasks.evaluate.answers.judge import VOTES, Judge
from graphrag_tasks.evaluate.answers.pairs import Pair, preferred
from graphrag_tasks.evaluate.answers.report import AnswersReport
from graphrag_tasks.evaluate.answers.unaided import COVERAGE, unaided
from graphrag_tasks.evaluate.answers.verdicts import Answered

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
