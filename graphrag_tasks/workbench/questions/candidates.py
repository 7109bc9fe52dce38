"""Candidate questions, with answers and gold sentences."""

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
TYPES: tuple[Type, ...] = (SINGLE, MULTI_HOP, LISTING, GLOBAL, UNANSWERABLE)  # Question types, as in `Question.type`.
LONGEST_QUESTION = 240  # Longest question in characters; nobody would ask a longer one.
LONGEST_NAME = 80  # Longest name in a question, in characters.


@dataclass(frozen=True)
class Stretch:
    """A span of a document's text that a question needs."""

    document_id: str
    char_start: int
    char_end: int


@dataclass(frozen=True)
class Candidate:
    """A question made by a rule.

    Attributes:
        gold: Needed facts, each with alternative spans; empty: unanswerable.
        rule: Name of its rule, for balancing.
        subject: Its subject in lower case, for limiting questions about it.
        sentence: Text of the first gold, for a model that rewords the question.
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
        """Ids of the needed documents, each once."""
        return tuple(dict.fromkeys(gold[0].document_id for gold in self.gold))


def content_words(text: str) -> frozenset[str]:
    """Return the content words of a text, in lower case."""
    return frozenset(word for word in map(str.lower, WORD.findall(text)) if word not in _EMPTY)


_EMPTY = words("empty")


def is_said(answer: str, question: str) -> bool:
    """Tell whether a question contains its answer."""
    words = content_words(answer)
    return bool(words) and words <= content_words(question)


def is_plain(text: str) -> bool:
    """Tell whether a text can stand in a question: one short line without code."""
    return (
        0 < len(text) <= LONGEST_QUESTION
        and re.search(r"[\n\r\t<>{}|\\`]|https?:|\s{2}|[\x00-\x1f\x7f]|\.\.", text) is None
    )


def near(one: frozenset[str], others: Sequence[frozenset[str]], most: float) -> bool:
    """Tell whether words nearly equal another question's (Jaccard)."""
    return any(len(one & other) > most * len(one | other) for other in others)
