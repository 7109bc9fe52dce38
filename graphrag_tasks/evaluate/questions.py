"""Questions with known sources, and the check that an index knows those sources."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from pydantic import Field

from graphrag_tasks.errors import ConfigError
from graphrag_tasks.evaluate.jsonl import Line, read_lines


class Question(Line):
    """A question, its reference answer, and the documents that are needed to answer it.

    Attributes:
        id: Unique in its file.
        question: What is asked.
        answer: The reference answer.
        type: Kind of question, which figures are also reported by.
        gold_titles: Titles of the needed documents, for readers.
        gold_ids: `documents.path` of the needed documents: a passage's id, or a file's path below
            its source root.
    """

    question: str = Field(pattern=r"\S")
    answer: str = ""
    type: str = ""
    gold_titles: tuple[str, ...] = ()
    gold_ids: tuple[str, ...] = Field(min_length=1)


def read_questions(path: str | Path) -> list[Question]:
    """Return the questions of a JSON lines file.

    Raises:
        ConfigError: The file is not readable, or a line is not a question with gold ids.
    """
    return read_lines(path, Question)


def check_gold(questions: Sequence[Question], known: Collection[str]) -> None:
    """Refuse questions whose sources the index has never seen.

    A document that was listed and failed is known: that it cannot be found is the index's fault.

    Args:
        questions: Questions to check.
        known: Every `documents.path` of the snapshot.

    Raises:
        ConfigError: A gold id is unknown: questions and index are not of one corpus.
    """
    unknown = [(one.id, gold) for one in questions for gold in one.gold_ids if gold not in known]
    if unknown:
        question_id, gold = unknown[0]
        raise ConfigError(
            f"the gold id {gold!r} is no document of the index ({len(unknown)} such in all)",
            f"question {question_id}",
            "Index the documents these questions are about, or evaluate other questions",
        )
