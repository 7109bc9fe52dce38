"""What rules propose: questions with their answers and the sentences that state them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from graphrag_tasks.workbench.questions.corpus import WORD
from graphrag_tasks.workbench.questions.words import words

Type = Literal["single", "multi_hop", "listing", "global", "unanswerable"]

SINGLE: Final = "single"
MULTI_HOP: Final = "multi_hop"
LISTING: Final = "listing"
GLOBAL: Final = "global"
UNANSWERABLE: Final = "unanswerable"
TYPES: tuple[Type, ...] = (SINGLE, MULTI_HOP, LISTING, GLOBAL, UNANSWERABLE)
"""Types of questions, as `Question.type` has them."""

LONGEST_QUESTION = 240
"""Characters of a question; a longer one is no question that a person would ask."""
LONGEST_NAME = 80
"""Characters of a name in a question."""


@dataclass(frozen=True)
class Stretch:
    """A stretch of a document's text that holds what a question needs."""

    document_id: str
    char_start: int
    char_end: int


@dataclass(frozen=True)
class Candidate:
    """A question that a rule made.

    Attributes:
        gold: What is needed, each by the stretches of which any will do; none: unanswerable.
        rule: Which rule made it, for the balance between rules.
        subject: What it is about, in small letters: at most a few questions share one.
        sentence: The text of the first gold, for a model that rewords the question.
    """

    type: Type
    question: str
    answer: str
    gold: tuple[tuple[Stretch, ...], ...]
    rule: str
    subject: str
    sentence: str = ""

    @property
    def documents(self) -> tuple[str, ...]:
        """Ids of the documents that it needs, each once."""
        return tuple(dict.fromkeys(gold[0].document_id for gold in self.gold))


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that tell questions apart, in small letters."""
    return frozenset(word for word in map(str.lower, WORD.findall(text)) if word not in _EMPTY)


_EMPTY = words("empty")


def is_said(answer: str, question: str) -> bool:
    """Tell whether a question already says its answer."""
    words = content_words(answer)
    return bool(words) and words <= content_words(question)


def is_plain(text: str) -> bool:
    """Tell whether a text can stand in a question: one line, not long, no code."""
    return (
        0 < len(text) <= LONGEST_QUESTION
        and re.search(r"[\n\r\t<>{}|\\`]|https?:|\s{2}|[\x00-\x1f\x7f]|\.\.", text) is None
    )


def near(one: frozenset[str], others: Sequence[frozenset[str]], most: float) -> bool:
    """Tell whether words are nearly those of another question (Jaccard)."""
    return any(len(one & other) > most * len(one | other) for other in others)
