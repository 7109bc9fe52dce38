"""Lexical search over chunks: BM25 by bm25s, over each chunk's text below its title and headings.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, in
Lucene's form; bm25s (Lù, arXiv 2407.03618) computes every term's scores once, when it is built.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import bm25s
import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.retrieval.tokens import query_terms, terms

logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets itself to DEBUG when imported

_K1 = 1.5
_B = 0.75


class Lexicon:
    """BM25 over a list of texts; never changed once built, so threads may share it.

    Args:
        texts: What is searched, one text per row.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._size = len(texts)
        found = [terms(text) for text in texts]
        self.known = frozenset(term for one in found for term in one)
        self._bm25 = bm25s.BM25(k1=_K1, b=_B, method="lucene", backend="numpy")
        if self.known:
            self._bm25.index(found, show_progress=False)

    def scores(self, text: str) -> NDArray[np.float32]:
        """Return the BM25 score of every row, shape (rows,); 0 where no term is shared."""
        asked = self._asked(text)
        if not asked:
            return np.zeros(self._size, dtype=np.float32)
        scores: NDArray[np.float32] = self._bm25.get_scores(asked)
        return scores

    def coverage(self, text: str) -> NDArray[np.float32]:
        """Return the share of the question's known terms that each row holds, rare ones first.

        Shape (rows,); terms weigh by inverse document frequency.
        """
        covered = np.zeros(self._size, dtype=np.float32)
        total = 0.0
        for term in set(self._asked(text)):
            rows = self._rows_with(term)
            weight = float(np.log1p(self._size / max(len(rows), 1)))
            covered[rows] += weight
            total += weight
        return covered / total if total else covered

    def _asked(self, text: str) -> list[str]:
        return [term for term in query_terms(text, self.known) if term in self.known]

    def _rows_with(self, term: str) -> NDArray[np.int32]:
        """Return the rows that hold a known term: a column of the matrix that bm25s has built."""
        (column,) = self._bm25.get_tokens_ids([term])
        begin, end = self._bm25.scores["indptr"][column : column + 2]
        rows: NDArray[np.int32] = self._bm25.scores["indices"][begin:end]
        return rows
