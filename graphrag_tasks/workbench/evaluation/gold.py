"""Locate the gold of questions: the chunks of a snapshot that contain it.

Spans survive new chunk boundaries, but not new text. So each has a hash: moved text is found again; if it is gone, the
question is stale and left out, which the report says.
"""

from __future__ import annotations

import hashlib
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

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
