"""BM25 over chunk texts, and over titles and headings, by bm25s.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, in Lucene's variant;
bm25s (Lù, arXiv 2407.03618) precomputes the scores of every term. A snapshot holds them as two tables, which readers
map: a query sums the rows of its terms.
"""

from __future__ import annotations

import logging
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag_tasks.core.schemas import BLOCK_SEPARATOR, POSTINGS, TERMS
from graphrag_tasks.language.bm25.tokens import is_code_name, query_terms, terms, words
from graphrag_tasks.storage.artifacts import batches_of
from graphrag_tasks.storage.columns import column, numbers

if TYPE_CHECKING:
    import pyarrow.dataset as ds

FILE_NAME = "file_name"  # `documents.title_source` of documents without a title; the file name is not used as one.
_K1 = 1.5
_B = 0.75
"""Saturation of repeated words, and effect of length: Robertson's usual values, the defaults of bm25s. Others gained
nothing (`benchmarks/README.md`)."""

Floats = NDArray[np.float32]


class Lexicon:
    """BM25 over texts; immutable, so threads may share it.

    Args:
        terms: Rows of `schemas.TERMS`.
        postings: Rows of `schemas.POSTINGS`, by term in the order of `terms`, rows ascending.
        size: Number of texts.
    """

    def __init__(self, terms: pa.Table, postings: pa.Table, size: int) -> None:
        self._size = size
        self._ends = numbers(column(terms, "end"))
        self._rows = numbers(column(postings, "row"))
        self._scores = numbers(column(postings, "score"))
        self.known = {term: place for place, term in enumerate(terms["term"].to_pylist())}

    @classmethod
    def of(cls, texts: Sequence[str]) -> Lexicon:
        """Build a lexicon from texts, one per row."""
        return cls(*lexicon_tables(texts), len(texts))

    def asked(self, text: str) -> list[str]:
        """Return the known terms of a question, in order, with repeats."""
        return [term for term in query_terms(text, self.known) if term in self.known]

    def scores(self, asked: Sequence[str]) -> Floats:
        """Return the BM25 score of every row, shape (rows,); 0 if no term is shared."""
        scores = np.zeros(self._size, dtype=np.float32)
        for term in asked:
            rows, of_term = self.postings(term)
            scores[rows] += of_term
        return scores

    def postings(self, term: str) -> tuple[NDArray[np.int32], Floats]:
        """Return the rows with a known term, each once, and their BM25 scores."""
        part = self._part(term)
        return self._rows[part], self._scores[part]

    def held(self, asked: Sequence[str], rows: NDArray[np.int64]) -> set[str]:
        """Return the terms that at least one of these rows contains."""
        return {term for term in set(asked) if self._are_with(term, rows).any()}

    def shares(self, asked: Sequence[str], row: int) -> dict[str, float]:
        """Return what each question term contributes to a row's score; absent terms are omitted."""
        found: dict[str, float] = {}
        for term in asked:
            rows, scores = self.postings(term)
            held = scores[rows == row]
            if len(held):
                found[term] = found.get(term, 0.0) + float(held[0])
        return found

    def coverage(self, asked: Sequence[str], rows: NDArray[np.int64]) -> Floats:
        """Return the share of question terms that each of these rows contains.

        Shape (rows,). Terms are weighted by inverse document frequency.
        """
        return self._share(self.rarities(asked), rows, 0.0).astype(np.float32)

    def shares_held(self, text: str, rows: NDArray[np.int64]) -> list[float]:
        """Return the share of a question that each of these rows contains.

        An unknown term is the rarest.
        """
        asked = set(query_terms(text, self.known))
        rarities = self.rarities([term for term in asked if term in self.known])
        unknown = (len(asked) - len(rarities)) * float(np.log1p(2 * self._size))
        shares: list[float] = self._share(rarities, rows, unknown).tolist()
        return shares

    def _share(self, rarities: Mapping[str, float], rows: NDArray[np.int64], unknown: float) -> NDArray[np.float64]:
        covered = np.zeros(len(rows))
        for term, rarity in rarities.items():
            covered += rarity * self._are_with(term, rows)
        return covered / ((sum(rarities.values()) + unknown) or 1)

    def _are_with(self, term: str, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell which of these rows contain a term."""
        with_term, _ = self.postings(term)
        places = np.searchsorted(with_term, rows.astype(with_term.dtype))  # of one type: no copy
        found: NDArray[np.bool_] = with_term[np.minimum(places, len(with_term) - 1)] == rows
        return found

    def unknown_words(self, text: str) -> list[str]:
        """Return the words of a question that no text contains, in order, each once.

        A lower-case word one edit away from a known term counts as known; a code name such as `CStrW` must match,
        except for case and punctuation.
        """
        found = []
        for word in words(text):
            own = terms(word)
            asked = own[:1] if is_code_name(word) else query_terms(word, self.known)
            if own and not any(term in self.known for term in asked):
                found.append(word)
        return list(dict.fromkeys(found))

    def rarities(self, asked: Sequence[str]) -> dict[str, float]:
        """Return the inverse document frequency of each distinct term, sorted by term."""
        found = {}
        for term in sorted(set(asked)):
            part = self._part(term)
            found[term] = float(np.log1p(self._size / (part.stop - part.start)))
        return found

    def _part(self, term: str) -> slice:
        place = self.known[term]
        return slice(int(self._ends[place - 1]) if place else 0, int(self._ends[place]))


def word_tables(documents: pa.Table, chunks: pa.Table | ds.Dataset) -> dict[str, pa.Table]:
    """Return the tables of terms and postings for the fields `text` and `heading`.

    Documents need document_id, title and title_source; chunks document_id, heading_path and text.
    """
    titles = {
        row["document_id"]: row["title"]
        for row in documents.select(["document_id", "title", "title_source"]).to_pylist()
        if row["title_source"] != FILE_NAME
    }

    def headings() -> Iterator[tuple[list[str], str]]:
        for batch in batches_of(chunks, ["document_id", "heading_path", "text"]):
            for row in batch.to_pylist():
                above = [titles.get(row["document_id"]), *row["heading_path"]]
                yield list(filter(None, above)), row["text"]

    fields = {
        "text": (text_below(text, above) for above, text in headings()),
        "heading": ("\n".join(above) for above, _ in headings()),
    }
    found = {}
    for field, lines in fields.items():
        found[f"{field}_terms"], found[f"{field}_postings"] = lexicon_tables(lines)
    return found


def text_below(text: str, headings: Sequence[str]) -> str:
    """Return a text preceded by those of its headings that it does not begin with."""
    beginning = text.split(BLOCK_SEPARATOR, len(headings) + 1)[:-1]
    return "\n".join([*(heading for heading in dict.fromkeys(headings) if heading not in beginning), text])


def lexicon_tables(texts: Iterable[str]) -> tuple[pa.Table, pa.Table]:
    """Return the sorted terms of texts, and the score of each term in each text.

    Texts are read once; memory is four bytes for each term occurrence.
    """
    numbers: dict[str, int] = {}
    found, ends = array("i"), array("q")
    for text in texts:
        found.extend([numbers.setdefault(term, len(numbers)) for term in terms(text)])
        ends.append(len(found))
    known = sorted(numbers)
    if not known:
        return TERMS.empty_table(), POSTINGS.empty_table()
    places = np.empty(len(known), np.int32)
    places[[numbers[term] for term in known]] = np.arange(len(known))
    scores = _bm25s_scores(_Texts(places[np.array(found)], ends), len(known))
    return (
        pa.table([known, scores["indptr"][1:]], schema=TERMS),
        pa.table([scores["indices"], scores["data"]], schema=POSTINGS),
    )


class _Texts:
    """Texts as lists of term numbers, each computed on access."""

    def __init__(self, numbers: NDArray[np.int32], ends: Sequence[int]) -> None:
        self._numbers, self._ends = numbers, ends

    def __len__(self) -> int:
        return len(self._ends)

    def __iter__(self) -> Iterator[list[int]]:
        for start, end in pairwise(chain([0], self._ends)):
            yield self._numbers[start:end].tolist()


def _bm25s_scores(texts: _Texts, terms: int) -> dict[str, NDArray[np.generic]]:
    """Return the score matrix in compressed column form, one column per term."""
    import bm25s

    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets itself to DEBUG when imported
    bm25 = bm25s.BM25(k1=_K1, b=_B, method="lucene", backend="numpy")
    scores: dict[str, NDArray[np.generic]] = bm25.build_index_from_ids(
        unique_token_ids=range(terms), corpus_token_ids=texts, show_progress=False
    )
    return scores
