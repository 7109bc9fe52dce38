"""Signals whether the documents answer a question, the input of its verdict."""

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
        " overview summary summarize summarise"
    )
)
"""Words of a question's frame, which say what is asked and name nothing that could be missing: quantities, light
verbs, and what documents and answers are called. Chosen by reading."""

_SIGN_INSIDE = re.compile(r"\w[./_-]\w")


@dataclass(frozen=True, kw_only=True)
class FirstRead:
    """How well the first reranked chunk answers a question.

    Attributes:
        log_odds: The reranker's log-odds that the chunk answers the question.
        cosine: Cosine of chunk and question.
        coverage: Share of the question's words in the chunk, weighted by rarity.
    """

    log_odds: float
    cosine: float
    coverage: float


@dataclass(frozen=True, kw_only=True)
class Signals:
    """Evidence whether a question has an answer here.

    Attributes:
        unknown: Content words and names of the question that no document contains, as written.
        unknown_names: Those written as names: with a capital, a digit or punctuation inside.
        read: None if no chunk was reranked.
    """

    unknown: tuple[str, ...] = ()
    unknown_names: tuple[str, ...] = ()
    read: FirstRead | None = None


def content_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words with content, without frame words of questions such as "much"."""
    return tuple(word for word in words if not _FRAME.issuperset(terms(word)))


def is_content(term: str) -> bool:
    """Tell whether a term is a content word."""
    return term not in _FRAME


def written_as_names(question: str, words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a question that are written as names, except its first word."""
    return tuple(
        word
        for word in words
        if is_code_name(word)
        or _SIGN_INSIDE.search(word)
        or (word[0].isupper() and not question.lstrip().startswith(word))
    )
