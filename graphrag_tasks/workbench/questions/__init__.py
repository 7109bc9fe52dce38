"""Questions made from a corpus, for who has none: by rule, and reworded by a model on wish."""

from graphrag_tasks.workbench.questions.making import MadeQuestions, make_questions
from graphrag_tasks.workbench.questions.rewording import Rewording

__all__ = ["MadeQuestions", "Rewording", "make_questions"]
