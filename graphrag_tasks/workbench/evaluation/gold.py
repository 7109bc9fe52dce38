"""Locate the gold of questions: the chunks of a snapshot that contain it.

Spans survive new chunk boundaries, but not new text. So each has a hash: moved text is found again; if it is gone, the
question is stale and left out, which the report says.
"""

from __future__ import annotations

import hashlib
import re
import string
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.core.globs import excluded
from graphrag_tasks.core.schemas import BLOCK_SEPARATOR
from graphrag_tasks.retrieval import ChunkHit, SourceSentence
from graphrag_tasks.storage.snapshots.store import Snapshot
from graphrag_tasks.workbench.evaluation.questions import GoldSpan, Question, Span

SHA_DIGITS = 12  # Hash digits that `quote` writes for a span: enough to be unique in a corpus.


@dataclass(frozen=True)
class Place:
    """A span of a document, or all of it; `char_end` is exclusive."""

    document_id: str
    char_start: int = 0
    char_end: int = sys.maxsize
    uri: str = ""

    def overlaps(self, other: Place | SourceSentence | ChunkHit) -> bool:
        """Tell whether two spans share a character."""
        return (
            self.document_id == other.document_id
            and self.char_start < other.char_end
            and other.char_start < self.char_end
        )


@dataclass(frozen=True)
class Target:
    """A question, and where an index has what it needs.

    Attributes:
        by_chunk: Whether chunks are judged (gold spans), not documents.
        gold: The gold items, as `path` or `path:start-end`.
        chunks: Ids of the chunks that contain each gold item.
        places: Positions of each gold item; any of them suffices.
    """

    question: Question
    by_chunk: bool
    gold: tuple[str, ...]
    chunks: tuple[frozenset[str], ...]
    places: tuple[tuple[Place, ...], ...]

    def items(self, chunk_id: str) -> frozenset[int]:
        """Return the gold items that a chunk contains."""
        return frozenset(item for item, ids in enumerate(self.chunks) if chunk_id in ids)

    def items_at(self, sentence: SourceSentence) -> frozenset[int]:
        """Return the gold items that a sentence overlaps."""
        return frozenset(
            item for item, places in enumerate(self.places)
            if any(place.overlaps(sentence) for place in places)
        )  # fmt: skip


@dataclass(frozen=True)
class Stale:
    """A question, by its id, that cannot be judged because its text or document is gone.

    `span` is the first missing span or document, `path:start-end` or `path`.
    """

    id: str
    span: str


@dataclass(frozen=True)
class Gold:
    """Questions located in a snapshot, without those that cannot be judged.

    `moved` counts the spans found at another position; `labels` has `path:start-end` of each chunk.
    """

    targets: tuple[Target, ...]
    moved: int
    stale: tuple[Stale, ...]
    labels: Mapping[str, str]


def locate(questions: Sequence[Question], snapshot: Snapshot, *, strict: bool = True) -> Gold:
    """Find the chunks with each question's gold: all that overlap a span, or a document.

    Questions about a document that failed to parse are judged, and lost: that is the index's fault. A document that is
    not listed is an error if `strict`; otherwise its questions are stale, as it may have been withdrawn.
    """
    return _Locator(snapshot, questions, strict=strict).locate()


class _Locator:
    def __init__(self, snapshot: Snapshot, questions: Sequence[Question], *, strict: bool) -> None:
        self._questions = questions
        self._strict = strict
        documents = snapshot.table("documents", ["document_id", "uri", "path"]).to_pylist()
        self._ids: dict[str, set[str]] = defaultdict(set)
        for row in documents:
            self._ids[row["path"]].add(row["document_id"])
            self._ids[row["uri"]].add(row["document_id"])
        paths = {row["document_id"]: row["path"] for row in documents}
        self._chunks: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        self._labels: dict[str, str] = {}
        columns = ["chunk_id", "document_id", "char_start", "char_end"]
        for row in snapshot.table("chunks", columns).to_pylist():
            path = paths[row["document_id"]]
            self._chunks[row["document_id"]].append(row)
            self._labels[row["chunk_id"]] = _label(path, row["char_start"], row["char_end"])
        paths_asked = {span.path for question in questions for gold in question.gold for span in gold.spans()}
        wanted = set().union(*(self._ids.get(path, set()) for path in paths_asked))
        self._texts = document_texts(snapshot, wanted)
        self._moved = 0

    def locate(self) -> Gold:
        targets: list[Target] = []
        stale: list[Stale] = []
        for question in self._questions:
            try:
                targets.append(self._target(question))
            except _GoneError as gone:
                stale.append(Stale(question.id, str(gone)))
        if self._questions and not targets:
            what = f"what every question is about is gone ({len(stale)} questions)"
            hint = "Index the documents these questions are about, or write new questions"
            raise ConfigError(what, stale[0].span, hint)
        return Gold(tuple(targets), self._moved, tuple(stale), self._labels)

    def _target(self, question: Question) -> Target:
        if question.gold:
            labels = [_label(span.path, span.char_start, span.char_end) for span in question.gold]
            places = [self._places(span, question) for span in question.gold]
        else:
            labels = list(dict.fromkeys(question.gold_ids))
            places = [(Place(self._document(path, question)),) for path in labels]
        chunks = tuple(
            frozenset(
                row["chunk_id"]
                for place in some
                for row in self._chunks[place.document_id]
                if row["char_start"] < place.char_end and place.char_start < row["char_end"]
            )
            for some in places
        )
        return Target(question, bool(question.gold), tuple(labels), chunks, tuple(places))

    def _places(self, gold: GoldSpan, question: Question) -> tuple[Place, ...]:
        """Return the positions of a gold item; some of its spans may be gone, but not all."""
        places: list[Place] = []
        for span in gold.spans():
            try:
                document = self._document(span.path, question)
            except _GoneError:
                continue
            text = self._texts.get(document)
            start = find_span(text, span) if text else span.char_start
            if start is None:
                continue
            self._moved += start != span.char_start
            places.append(Place(document, start, start + span.char_end - span.char_start))
        if not places:
            raise _GoneError(_label(gold.path, gold.char_start, gold.char_end))
        return tuple(places)

    def _document(self, path: str, question: Question) -> str:
        found = self._ids.get(path, set())
        if len(found) == 1:
            return next(iter(found))
        if not (found or self._strict):
            raise _GoneError(path)
        what = "is no document of the index"
        hint = "Index the documents these questions are about, or evaluate other questions"
        if found:
            what, hint = f"stands in {len(found)} sources", "Name it by its uri"
        raise ConfigError(f"the gold document {path!r} {what}", f"question {question.id}", hint)


class _GoneError(Exception):
    """A document is not listed any more, or a gold item has no span left."""


def document_texts(snapshot: Snapshot, document_ids: set[str]) -> dict[str, str]:
    """Return the text of each document with text: its blocks, joined as offsets count them."""
    blocks = snapshot.table("blocks", ["document_id", "ordinal", "text"])
    wanted = pc.is_in(blocks["document_id"], pa.array(sorted(document_ids), pa.string()))
    texts: dict[str, list[str]] = defaultdict(list)
    for row in blocks.filter(wanted).sort_by("ordinal").to_pylist():
        texts[row["document_id"]].append(row["text"])
    return {document: BLOCK_SEPARATOR.join(parts) for document, parts in texts.items()}


def find_span(text: str, span: Span) -> int | None:
    """Return where a span's text begins: at its recorded position, else at the nearest match.

    A text matches if it has the span's length and hash.
    """
    length = span.char_end - span.char_start
    if _sha(text[span.char_start : span.char_end]).startswith(span.sha):
        return span.char_start
    places = (
        start for start in range(len(text) - length + 1) if _sha(text[start : start + length]).startswith(span.sha)
    )
    return min(places, key=lambda start: abs(start - span.char_start), default=None)


def spans_of(snapshot: Snapshot, places: Sequence[Place | SourceSentence | ChunkHit]) -> list[Span]:
    """Return the spans of passages or sentences.

    They name documents by uri, as several documents may have the same path.
    """
    texts = document_texts(snapshot, {place.document_id for place in places})
    return [
        Span(path=place.uri, char_start=place.char_start, char_end=place.char_end,
             sha=_sha(texts[place.document_id][place.char_start : place.char_end])[:SHA_DIGITS])
        for place in places
    ]  # fmt: skip


def gold_at(snapshot: Snapshot, places: Sequence[Place | SourceSentence | ChunkHit]) -> GoldSpan:
    """Return a needed fact that any of these places states."""
    first, *others = dict.fromkeys(spans_of(snapshot, places))
    return GoldSpan(**first.model_dump(), alternatives=tuple(others))


def unsent_documents(snapshot: Snapshot, exclude: Sequence[str]) -> frozenset[str]:
    """Return the documents that no model is shown, by the patterns of `llm.exclude`."""
    if not exclude:
        return frozenset()
    rows = snapshot.table("documents", ["document_id", "path"]).to_pylist()
    return excluded({row["document_id"]: row["path"] for row in rows}, exclude)


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _label(path: str, start: int, end: int) -> str:
    return f"{path}:{start}-{end}"


# Measures: pure functions of rankings and verdicts, and their intervals.

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_SIGNS = str.maketrans("", "", string.punctuation)
_Z = 1.959964  # Standard deviations to either side that contain 95 % of a normal distribution.
RESAMPLES = 10_000  # Efron and Tibshirani (1993, chapter 13) ask for at least 1,000 for an interval.
LEAST_PAIRS = 10  # Fewest pairs for a p-value: with fewer, resamples differ too little. Chosen.
_BATCH = 1_000  # Resamples drawn at once, to bound memory.
_TOLERANCE = 1e-12  # Rounding error of a mean.

Places = Sequence[Collection[int]]
"""The gold items, numbered from 0, at each place of a ranking, best first: none, one, or several where a chunk holds
several facts. A ranking of fewer than k places is no error."""


def recall_at_k(places: Places, gold: int, k: int) -> float:
    """Return the share of the `gold` items that the first k places contain."""
    return len(set().union(*places[:k])) / gold


def all_gold_at_k(places: Places, gold: int, k: int) -> float:
    """Return 1 if the first k places contain every gold item, else 0."""
    return float(recall_at_k(places, gold, k) == 1)


def reciprocal_rank(places: Places) -> float:
    """Return 1 / (first place with a gold item, from 1), or 0 without one."""
    return next((1 / place for place, items in enumerate(places, 1) if items), 0.0)


def share(verdicts: Sequence[bool]) -> float | None:
    """Return the share of relevant passages, or of supported statements; None without any."""
    return fmean(verdicts) if verdicts else None


def average_precision(relevant: Sequence[bool]) -> float | None:
    """Return the mean precision at the relevant passages' positions, as RAGAS defines it.

    `relevant` is in passage order. Without a relevant passage it is 0.
    """
    if not relevant:
        return None
    hits = np.cumsum(relevant)
    at = [hits[place] / (place + 1) for place, one in enumerate(relevant) if one]
    return float(np.mean(at)) if at else 0.0


def relevancy(question: NDArray[np.float32], guessed: NDArray[np.float32], evasive: Sequence[bool]) -> float | None:
    """Return how near a question is to those guessed from its answer.

    The mean of the cosines with the guesses' vectors, or 0 if the answer was always called evasive; None without
    guesses.
    """
    if not len(guessed):
        return None
    if all(evasive):
        return 0.0
    lengths = np.linalg.norm(guessed, axis=1) * np.linalg.norm(question)
    return float(np.mean(guessed @ question / lengths))


def exact_match(answer: str, reference: str) -> float:
    """Return 1 if two answers are equal except for case, punctuation and articles, else 0."""
    return float(_plain(answer) == _plain(reference))


def word_f1(answer: str, reference: str) -> float:
    """Return the F1 of an answer's words."""
    said, wanted = Counter(_plain(answer).split()), Counter(_plain(reference).split())
    if not said or not wanted:
        return float(said == wanted)
    shared = (said & wanted).total()
    return 2 * shared / (said.total() + wanted.total())


@dataclass(frozen=True)
class Difference:
    """The mean difference of a figure, with its 95 % interval.

    `p` is the two-sided p-value; None for fewer than `LEAST_PAIRS`.
    """

    mean: float
    low: float
    high: float
    p: float | None


def paired_bootstrap(one: Sequence[float], other: Sequence[float], *, seed: int = 0) -> Difference:
    """Compare two modes by their values for the same questions, in the same order.

    Questions are drawn with replacement as pairs of values, so that question difficulty cancels out (Efron and
    Tibshirani 1993, chapters 13 and 16). The interval is the percentile interval. p counts the resamples whose mean is
    as far from the observed mean as that is from 0; the observed one is included, so p is never 0.
    """
    if not one or len(one) != len(other):
        raise ValueError(f"the values are not paired: {len(one)} and {len(other)}")
    differences = np.asarray(one, dtype=np.float64) - np.asarray(other, dtype=np.float64)
    mean, size = float(differences.mean()), len(differences)
    generator = np.random.Generator(np.random.PCG64(seed))
    draws = range(0, RESAMPLES, _BATCH)
    means = np.concatenate([differences[generator.integers(size, size=(_BATCH, size))].mean(axis=1) for _ in draws])
    low, high = np.percentile(means, [2.5, 97.5])
    as_far = int((np.abs(means - mean) >= abs(mean) - _TOLERANCE).sum())
    p = (as_far + 1) / (RESAMPLES + 1) if size >= LEAST_PAIRS else None
    return Difference(mean, float(low), float(high), p)


def share_interval(hits: float, size: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927), valid for small samples too."""
    if size < 1:
        raise ValueError("a share of nothing has no interval")
    share, spread = hits / size, _Z * _Z / size
    middle = (share + spread / 2) / (1 + spread)
    half = _Z * sqrt(share * (1 - share) / size + spread / size / 4) / (1 + spread)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def _plain(text: str) -> str:
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_SIGNS)).split())
