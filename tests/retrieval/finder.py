"""A reranker that finds the passages best that hold a word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.retrieval.reranker import Passage


class Finder:
    """Finds the passages best that hold a word; `asked` and `read` keep the calls and passages.

    `sure` is the log-odds of those that hold it; the others have as many below 0.
    """

    fingerprint = "0" * 64

    def __init__(self, word: str, sure: float = 9.0) -> None:
        self.word = word
        self.sure = sure
        self.asked: list[str] = []
        self.read: list[str] = []

    def scores(self, question: str, passages: Sequence[Passage]) -> NDArray[np.float32]:
        self.asked.append(question)
        self.read += [passage.text for passage in passages]
        found = [self.sure if self.word in one.text else -self.sure for one in passages]
        return np.array(found, np.float32)
