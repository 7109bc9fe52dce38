"""A reranker and a reader that find the passages and sentences best that hold a word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.retrieval.reranker import Passage
from graphrag_tasks.retrieval.reranker.cross_encoder import ReadSentence


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


class SpanFinder:
    """Finds a word in sentences, as `SpanReader` finds a span; `sure` is as in `Finder`."""

    def __init__(self, word: str, sure: float = 9.0) -> None:
        self.word = word
        self.sure = sure

    def read(
        self, question: str, passages: Sequence[tuple[str, Sequence[str]]], most: int
    ) -> list[list[ReadSentence | None]]:
        return [[self._read(sentence) for sentence in sentences] for _, sentences in passages]

    def _read(self, sentence: str) -> ReadSentence:
        begin = sentence.find(self.word)
        if begin < 0:
            return ReadSentence(-self.sure, -self.sure, 0, 1)
        return ReadSentence(self.sure, self.sure, begin, begin + len(self.word))
