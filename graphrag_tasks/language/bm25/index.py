"""BM25 over chunk texts, and over titles and headings.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, in Lucene's variant. The
scores of every term are computed beforehand, as in bm25s (Lù, arXiv 2407.03618): a snapshot holds them as two tables,
which readers map; a query sums the rows of its terms.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from string import ascii_lowercase, digits
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import Stemmer
from numpy.typing import NDArray

from graphrag_tasks.core.schemas import BLOCK_SEPARATOR, POSTINGS, TERMS
from graphrag_tasks.language.names import unaccented
from graphrag_tasks.storage.artifacts import batches_of, column, numbers

if TYPE_CHECKING:
    import pyarrow.dataset as ds


_STOP_WORDS = """
a an and are as at be been being but by can could did do does for from had has have he her
his how i if in into is it its may me might must my no nor not of on or our shall she
should so some such than that the their them then there these they this those to too us
very was we were what when where which while who whom whose why will with would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())  # Function words, and words that questions begin with.

_WORD = re.compile(r"[^\W_]+(?:['’./_\-:~+&#]+[^\W_]+)*")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_A-Za-z]+")
_PIECE = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['’]s$", re.IGNORECASE)
_LONGEST_WORD = 100  # Longer words are cut: no word is so long, but encoded data is.
_JOINED = 3  # Adjacent question words that may form one term, as in "S 4 HANA".
_SHORT = 2  # Name parts of at most this many characters are no terms.
_SHORTEST_REPAIRED = 4
_MOST_REPAIRED = 20
"""Longest term that is corrected, as longer ones have many neighbours, and most corrected terms of a question, which
bounds the time of pasted texts. Chosen, not measured."""
_STEMMER = Stemmer.Stemmer("english", 0)  # without its cache, which threads must not share


@lru_cache(maxsize=65_536)
def fold(word: str) -> str:
    """Return a word in lower case without accents and possessive ending."""
    return _bare(word).casefold()


def _bare(word: str) -> str:
    word = _POSSESSIVE.sub("", word)
    return unaccented(word) or word


def words(text: str) -> list[str]:
    """Return the words of a text as written; punctuation inside a name belongs to it."""
    return [match[0] for match in _WORD.finditer(text)]


def terms(text: str) -> list[str]:
    """Return the terms by which a text is indexed and searched, in order, with repeats."""
    return [term for word in words(text) for term in _terms_of(word)]


def is_code_name(word: str) -> bool:
    """Tell whether a word is a code name: it has a digit, `_`, or a capital inside."""
    return any(sign.isdigit() or sign == "_" for sign in word) or (
        any(map(str.isupper, word[1:])) and not word.isupper()
    )


def query_terms(text: str, known: Collection[str]) -> list[str]:
    """Return the terms of a question, with joined and corrected forms.

    Up to three adjacent words that together form a known term give that term too ("S4 HANA"). An unknown term is
    replaced by the known terms one edit away, if there are any.
    """
    found: list[str] = []
    repaired = 0
    for term in terms(text):
        if term in known or repaired == _MOST_REPAIRED:
            found.append(term)
        else:
            found += _repaired(term, known) or [term]
            repaired += 1
    pieces = [fold(piece[0]) for piece in _PIECE.finditer(text)]
    for length in range(2, _JOINED + 1):
        for start in range(len(pieces) - length + 1):
            joined = "".join(pieces[start : start + length])
            if joined in known and joined not in found and any(map(str.isdigit, joined)):
                found.append(joined)
    return found


@lru_cache(maxsize=65_536)
def _terms_of(word: str) -> tuple[str, ...]:
    pieces = _PIECE.findall(_bare(word[:_LONGEST_WORD]))
    parts = [part for piece in pieces for part in _PART.findall(piece)]
    whole = "".join(pieces).casefold()
    if len(parts) == 1:
        return () if whole in STOP_WORDS else (_STEMMER.stemWord(whole),)
    kept = [one for one in pieces if len(one) > 1] + [one for one in parts if len(one) > _SHORT]
    folded = [one for one in map(str.casefold, kept) if one not in STOP_WORDS]
    return tuple(dict.fromkeys([whole, *map(_STEMMER.stemWord, folded)]))


def _repaired(term: str, known: Collection[str]) -> list[str]:
    if len(term) < _SHORTEST_REPAIRED or any(map(str.isdigit, term)):
        return []
    return sorted({one for one in _one_slip_away(term) if one in known})


def _one_slip_away(term: str) -> Iterator[str]:
    """Yield every spelling one deletion, insertion, substitution or transposition away.

    The first letter stays, which slips seldom change: a "wage" is no "page".
    """
    halves = [(term[:place], term[place:]) for place in range(1, len(term) + 1)]
    for left, right in halves:
        if right:
            yield left + right[1:]
        if len(right) > 1:
            yield left + right[1] + right[0] + right[2:]
        for letter in ascii_lowercase + digits:
            yield left + letter + right
            if right:
                yield left + letter + right[1:]


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

    def scores_of(self, term: str, rows: NDArray[np.int64]) -> Floats:
        """Return the BM25 score that a known term gives each of these rows."""
        with_term, scores = self.postings(term)
        places = np.searchsorted(with_term, rows.astype(with_term.dtype))  # of one type: no copy
        places = np.minimum(places, len(with_term) - 1)
        return np.where(with_term[places] == rows, scores[places], np.float32(0))

    def held(self, asked: Sequence[str], rows: NDArray[np.int64]) -> set[str]:
        """Return the terms that at least one of these rows contains."""
        return {term for term in set(asked) if self._are_with(term, rows).any()}

    def shares(self, asked: Sequence[str], row: int) -> dict[str, float]:
        """Return what each question term contributes to a row's score; absent terms are omitted."""
        found: dict[str, float] = {}
        for term in asked:
            if held := float(self.scores_of(term, np.array([row]))[0]):
                found[term] = found.get(term, 0.0) + held
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
        found: NDArray[np.bool_] = self.scores_of(term, rows) > 0
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

    Texts are read once; memory is some 30 bytes for each score.
    """
    numbers: dict[str, int] = {}
    found, counts = array("i"), array("i")
    distinct, lengths = array("q"), array("q")
    for text in texts:
        of_text = Counter(terms(text))
        found.extend([numbers.setdefault(term, len(numbers)) for term in of_text])
        counts.extend(of_text.values())
        distinct.append(len(of_text))
        lengths.append(of_text.total())
    known = sorted(numbers)
    if not known:
        return TERMS.empty_table(), POSTINGS.empty_table()
    places = np.empty(len(known), np.int32)
    places[[numbers[term] for term in known]] = np.arange(len(known))
    term_of = places[np.frombuffer(found, np.int32)]
    order = np.argsort(term_of, kind="stable")
    times = np.frombuffer(counts, np.int32)[order]
    text_of = np.repeat(np.arange(len(lengths), dtype=np.int32), distinct)[order]
    texts_with = np.bincount(term_of)
    rarity = np.log(1 + (len(lengths) - texts_with + 0.5) / (texts_with + 0.5)).astype(np.float32)
    length = np.frombuffer(lengths, np.int64)
    scores = (_K1 * (1 - _B + _B * length / length.mean()))[text_of]
    scores += times
    np.divide(times, scores, out=scores)
    scores *= np.repeat(rarity, texts_with)
    return (
        pa.table([known, np.cumsum(texts_with)], schema=TERMS),
        pa.table([text_of, scores.astype(np.float32)], schema=POSTINGS),
    )


# Detect near-duplicate texts, such as two versions of a page.

_COPY = 0.9  # Jaccard similarity from which texts are copies; .85 to .95 gives the same recall on the development sets.


def are_copies(texts: Iterable[str]) -> Iterator[bool]:
    """Yield for each text whether it nearly repeats an earlier one."""
    taken: list[frozenset[str]] = []
    for text in texts:
        words = frozenset(terms(text))
        is_copy = any(len(words & other) >= _COPY * len(words | other) for other in taken)
        if not is_copy:
            taken.append(words)
        yield is_copy
