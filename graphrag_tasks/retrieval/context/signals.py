"""What tells whether a question has an answer in the documents: read by `answer.verdict`."""

from __future__ import annotations

from dataclasses import dataclass


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
        unknown: Words and names of the question that no document holds, as they are written.
        read: None where no chunk was read by the reranker.
    """

    unknown: tuple[str, ...] = ()
    read: FirstRead | None = None
