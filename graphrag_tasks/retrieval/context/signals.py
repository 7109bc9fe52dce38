"""What tells whether a question has an answer in the documents: read by `answer.verdict`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graphrag_tasks.language.bm25.tokens import is_code_name, terms

_FRAME = frozenset(
    terms(
        "much many long often old far big large small high soon late early new happen occur come"
        " go get take make belong mean mention name call list tell explain describe show give find"
        " know want need say state document file page section text article kind type sort thing"
        " way please anyone anybody someone somebody anything something everything example detail"
    )
)
"""Words of a question's frame, which say what is asked and name nothing that could be missing:
quantities, light verbs, and what documents and answers are called. Chosen by reading."""

_SIGN_INSIDE = re.compile(r"\w[./_-]\w")


@dataclass(frozen=True, kw_only=True)
class FirstRead:
    """How well the first chunk answers a question, as far as the reranker read it.

    Attributes:
        log_odds: The reranker's, that the chunk answers the question.
        margin: By how much they exceed the mean of all chunks that were read.
        cosine: Of chunk and question.
        coverage: Share of the question's words that the chunk holds, rare ones first.
    """

    log_odds: float
    margin: float
    cosine: float
    coverage: float


@dataclass(frozen=True, kw_only=True)
class Signals:
    """What tells whether a question has an answer here.

    Attributes:
        unknown: Content words and names of the question that no document holds, as written.
        unknown_names: Those that are written as names: with a capital, a digit or a sign inside.
        read: None where no chunk was read by the reranker.
    """

    unknown: tuple[str, ...] = ()
    unknown_names: tuple[str, ...] = ()
    read: FirstRead | None = None


def content_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words that name something: not those of a question's frame, such as "much"."""
    return tuple(word for word in words if not _FRAME.issuperset(terms(word)))


def is_content(term: str) -> bool:
    """Tell whether a term of a question is none of its frame."""
    return term not in _FRAME


def written_as_names(question: str, words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a question that are written as names; its first word may be any."""
    return tuple(
        word
        for word in words
        if is_code_name(word)
        or _SIGN_INSIDE.search(word)
        or (word[0].isupper() and not question.lstrip().startswith(word))
    )
