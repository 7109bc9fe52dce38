"""Choose which sentences a language model reads, and group them into requests.

A window is up to three neighbouring sentences with a verb, of one chunk; neighbouring windows share a sentence (paper,
second edition: batches of three with an overlap of one). Several windows of a document form a pack: one request.

With the extractor `hybrid` the sentences are those with most words that no triple covers, most first, within a share.

Documents are cut into stretches: one begins at a heading chosen by its hash, or after many sentences. So an edit
changes its own pack and at most one more; with `hybrid`, rarely two more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import HYBRID, ExtractConfig
from graphrag_tasks.core.globs import fits_any
from graphrag_tasks.core.ids import content_id, text_sha256
from graphrag_tasks.extract.context import Places
from graphrag_tasks.extract.words import words

ALL, WEAK = "all", "weak"  # Why a window is read: all is, or the rules have gaps there.
_STRETCH = 2  # One in so many headings begins a stretch if all sentences are read.
_STRETCH_OF_SHARE = 3  # The same if a share is read, divided by that share.
_LONGEST_STRETCH = 160  # Sentences after which a stretch ends, with or without a heading.

_WORD = re.compile(r"\w[\w/.-]*")
_WINDOWS_OF_REQUEST = 4  # At most; more cost fewer tokens, 1 is as in the paper.
_SENTENCES, _OVERLAP = 3, 1  # Sentences of a window, and those that two neighbouring windows share, as in the paper.

_FUNCTION_WORDS = words("function_words")

_Row = Mapping[str, Any]
_Spans = Mapping[str, Sequence[tuple[int, int]]]


@dataclass(frozen=True)
class _Chunk:
    """The sentences of a chunk that may be read, and the headings above it."""

    chunk_id: str
    headings: tuple[str, ...]
    sentences: list[_Row]


def windows_of(
    documents: pa.Table,
    blocks: pa.Table,
    cells: pa.Table,
    chunks: pa.Table,
    sentences: pa.Table,
    triples: pa.Table,
    *,
    config: ExtractConfig,
) -> pa.Table:
    """Return the windows of all documents: rows of `schemas.WINDOWS` in reading order."""
    if not config.asks:
        return schemas.empty("windows")
    headings = dict(zip(*(chunks[name].to_pylist() for name in _HEADINGS), strict=True))
    paths = dict(zip(*(documents[name].to_pylist() for name in _PATHS), strict=True))
    covered, places = _covered(triples), Places(blocks, cells)
    rows: list[_Row] = []
    readable = sentences.filter(sentences["has_verb"]).select(_READ).to_pylist()
    for document_id, of_document in groupby(readable, key=itemgetter("document_id")):
        found = [
            _Chunk(chunk_id, tuple(headings.get(chunk_id) or ()), list(of_chunk))
            for chunk_id, of_chunk in groupby(of_document, key=itemgetter("chunk_id"))
        ]
        share = _share(paths[document_id], config)
        packs = _packs(found, share, covered, _WINDOWS_OF_REQUEST)
        reason = ALL if share == 1 else WEAK
        for number, pack in enumerate(packs):
            rows += [_row(document_id, number, window, reason, places) for window in pack]
    return pa.Table.from_pylist(rows, schema=schemas.WINDOWS)


_HEADINGS, _PATHS = ("chunk_id", "heading_path"), ("document_id", "path")
_READ = ("sentence_id", "document_id", "chunk_id", "text", "char_start")

_Window = list[_Row]


def _share(path: str, config: ExtractConfig) -> float:
    """Return the share of a document that is read."""
    if config.extractor != HYBRID:
        return 1
    of_paths = (rule.share for rule in config.llm.shares if fits_any(path, [rule.path]))
    return next(of_paths, config.llm.share)


def _row(document_id: str, pack: int, window: _Window, reason: str, places: Places) -> _Row:
    texts = [text_sha256(row["text"]) for row in window]
    around = [places.of(row) for row in window]
    return {
        "window_id": content_id("window", window[0]["sentence_id"], *texts),
        "document_id": document_id,
        "chunk_id": window[0]["chunk_id"],
        "sentence_ids": [row["sentence_id"] for row in window],
        "keys": [place.key and place.key.name for place in around],
        "leads": [place.lead for place in around],
        "pack": pack,
        "reason": reason,
    }


def _packs(chunks: Sequence[_Chunk], share: float, covered: _Spans, most: int) -> Iterator[list[_Window]]:
    """Yield packs of the sentences that are read, of at most so many windows.

    With a share, the sentences of each stretch that miss most are read up to its share of the characters; a random
    number from its heading, not from its text, decides on the last.
    """
    for stretch in _stretches(chunks, _STRETCH if share == 1 else max(1, round(_STRETCH_OF_SHARE / (share or 1)))):
        read = [sentence for chunk in stretch for sentence in chunk.sentences]
        chosen = {sentence["sentence_id"] for sentence in read}
        if share < 1:
            chance = _number("chance", stretch[0].headings, read[0]["document_id"]) % 1000 / 1000
            chosen = _chosen(read, share, chance, covered)
        overlap = _OVERLAP if share == 1 else 0
        windows = [
            window
            for chunk in stretch
            for window in _cut([one for one in chunk.sentences if one["sentence_id"] in chosen], overlap)
        ]
        yield from _even(windows, -(-len(windows) // most))


def _chosen(read: Sequence[_Row], share: float, chance: float, covered: _Spans) -> set[str]:
    missed = {row["sentence_id"]: _missed(row, covered.get(row["sentence_id"], ())) for row in read}
    left, chosen = share * sum(len(row["text"]) for row in read), set()
    for row in sorted(read, key=lambda row: (-missed[row["sentence_id"]], row["sentence_id"])):
        if left <= chance * len(row["text"]) or not missed[row["sentence_id"]]:
            break
        left -= len(row["text"])
        chosen.add(row["sentence_id"])
    return chosen


def _missed(sentence: _Row, spans: Sequence[tuple[int, int]]) -> int:
    """Return the number of words that no triple covers."""
    return sum(
        word[0].lower() not in _FUNCTION_WORDS and not any(start <= word.start() < end for start, end in spans)
        for word in _WORD.finditer(sentence["text"])
    )


def _stretches(chunks: Sequence[_Chunk], one_in: int) -> Iterator[list[_Chunk]]:
    """Cut a document before some of its headings, and where a stretch is too long."""
    stretch: list[_Chunk] = []
    count = 0
    for chunk in chunks:
        begins = _number("stretch", chunk.headings) % one_in == 0
        is_other = bool(stretch) and chunk.headings != stretch[-1].headings
        if (begins and is_other) or count >= _LONGEST_STRETCH:
            yield stretch
            stretch, count = [], 0
        stretch.append(chunk)
        count += len(chunk.sentences)
    if stretch:
        yield stretch


def _cut(sentences: Sequence[_Row], overlap: int) -> Iterator[_Window]:
    for start in range(0, max(len(sentences) - overlap, min(len(sentences), 1)), _SENTENCES - overlap):
        yield list(sentences[start : start + _SENTENCES])


def _even(windows: Sequence[_Window], count: int) -> Iterator[list[_Window]]:
    """Split windows into packs of nearly equal size."""
    ends = [len(windows) * number // count for number in range(count + 1)] if count else [0]
    for start, end in pairwise(ends):
        yield list(windows[start:end])


def _number(*parts: object) -> int:
    return int(content_id(*map(str, parts))[:8], 16)


def _covered(triples: pa.Table) -> _Spans:
    found: dict[str, list[tuple[int, int]]] = {}
    columns = ["sentence_id", "head_start", "head_end", "tail_start", "tail_end"]
    for row in triples.select(columns).to_pylist():
        spans = found.setdefault(row["sentence_id"], [])
        spans += [(row[f"{end}_start"], row[f"{end}_end"]) for end in ("head", "tail")]
    return found
