"""Answers whose every sentence cites a sentence, a page and a box of a document.

>>> from graphrag_tasks.answering import answer
>>> from graphrag_tasks.retrieval import open_index
>>> reply = answer(open_index("store"), "Which table replaces KONV?")
>>> print(reply)
"""

from graphrag_tasks.answering.answer import answer, answer_stream
from graphrag_tasks.answering.reply import AnswerSentence, Citation, Reply, Verdict

__all__ = ["AnswerSentence", "Citation", "Reply", "Verdict", "answer", "answer_stream"]
