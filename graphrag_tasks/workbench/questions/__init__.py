"""Questions made from a corpus by rules, and optionally reworded by a model.

In: a snapshot. Out: `MadeQuestions` with gold spans. Open `making.py` first.
"""

from graphrag_tasks.workbench.questions.making import MadeQuestions, make_questions
from graphrag_tasks.workbench.questions.rewording import Rewording

__all__ = ["MadeQuestions", "Rewording", "make_questions"]
