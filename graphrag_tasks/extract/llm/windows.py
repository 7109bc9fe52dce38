"""Choose which sentences a language model reads, and group them into requests.

A window is up to three neighbouring sentences with a verb, of one chunk; neighbouring windows share a sentence (paper,
second edition: batches of three with an overlap of one). Several windows of a document form a pack: one request.

With the extractor `hybrid` the sentences are those where the rules may have missed most per token: words outside
triples, and coordinations. On labelled sentences this finds twice as much as random reading (benchmarks/README.md).

Documents are cut into stretches: one begins at a heading chosen by its hash, or after many sentences. So an edit
changes its own pack and at most one more; with `hybrid`, rarely two more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import HYBRID, ExtractConfig, WindowConfig
from graphrag_tasks.core.globs import fits_any
from graphrag_tasks.core.ids import content_id, text_sha256
from graphrag_tasks.extract.context import Places
from graphrag_tasks.extract.words import words

ALL, CRITICAL, WEAK = "all", "critical", "weak"
"""Why a window is read: extractor `llm`, a critical path, or gaps of the rules."""

_REQUEST_TOKENS = 450  # Tokens of a request besides its sentences: instructions, examples and schema.
_WINDOWS_OF_REQUEST = 0.87
"""Mean number of windows per request, as a share of the limit, if all sentences are read: measured."""
_CHARACTERS_A_TOKEN = 4.5  # Approximate for English prose; used only to compare costs.
_LONGER = 1.45  # Length of chosen sentences relative to all: measured.
_STRETCH = 2  # One in so many headings begins a stretch if all sentences are read.
_STRETCH_OF_SHARE = 3  # The same if a share is read, divided by that share.
_LONGEST_STRETCH = 160  # Sentences after which a stretch ends, with or without a heading.

_WORD = re.compile(r"\w[\w/.-]*")
_JOINT = re.compile(r"\b(?:and|or)\b", re.IGNORECASE)
_OF_JOINT, _OF_SENTENCE = 1, 2
"""Added to the gain for each coordination, and subtracted for each sentence: most sentences miss nothing."""
_WORDS_AROUND = 25  # Words that a sentence costs beside its own.
_OVERLAP = 1  # Sentences that two neighbouring windows share, as in the paper; none where a window has one.

_FUNCTION_WORDS = words("function_words")

_Row = Mapping[str, Any]


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
        if share is None:
            packs = _all(found, config.llm)
            reason = ALL if config.extractor != HYBRID else CRITICAL
        else:
            gain = _Gains(covered)
            packs, reason = _best(found, share, gain.of, config.llm), WEAK
        for number, pack in enumerate(packs):
            rows += [_row(document_id, number, window, reason, places) for window in pack]
    return pa.Table.from_pylist(rows, schema=schemas.WINDOWS)


_HEADINGS, _PATHS = ("chunk_id", "heading_path"), ("document_id", "path")
_READ = ("sentence_id", "document_id", "chunk_id", "text", "char_start")

_Window = list[_Row]


def _share(path: str, config: ExtractConfig) -> float | None:
    """Return the share of a document that is read; None means all."""
    if config.extractor != HYBRID or fits_any(path, config.llm.critical):
        return None
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


def _all(chunks: Sequence[_Chunk], config: WindowConfig) -> Iterator[list[_Window]]:
    for stretch in _stretches(chunks, _STRETCH):
        windows = [
            window for chunk in stretch for window in _cut(chunk.sentences, config.window_sentences, _overlap(config))
        ]
        yield from _even(windows, -(-len(windows) // config.windows_per_request))


def _best(
    chunks: Sequence[_Chunk], share: float, gain: Callable[[_Row], float], config: WindowConfig
) -> Iterator[list[_Window]]:
    """Yield packs of the sentences with most gain per token.

    Each stretch gets its share of tokens in whole requests; a random number from its heading, not from its text,
    decides on the remainder.
    """
    size = config.windows_per_request * config.window_sentences
    for stretch in _stretches(chunks, max(1, round(_STRETCH_OF_SHARE / share)) if share else 1):
        read = [sentence for chunk in stretch for sentence in chunk.sentences]
        cost = sum(map(_tokens, read))
        request = _REQUEST_TOKENS + _LONGER * size * cost / len(read)
        requests = share * _cost_of_all(read, config) / request
        chance = _number("chance", stretch[0].headings, read[0]["document_id"]) % 1000 / 1000
        count = int(requests) + (chance < requests % 1)
        chosen = _chosen(read, gain, count * config.windows_per_request, config.window_sentences)
        windows = [
            window
            for chunk in stretch
            for window in _cut(
                [sentence for sentence in chunk.sentences if sentence["sentence_id"] in chosen], config.window_sentences
            )
        ]
        yield from _even(windows, -(-len(windows) // config.windows_per_request))


def _chosen(read: Sequence[_Row], gain: Callable[[_Row], float], most: int, size: int) -> frozenset[str]:
    """Return the sentences with most gain that fit into `most` windows."""
    gains = {row["sentence_id"]: gain(row) for row in read}
    ranked = [row for row in read if gains[row["sentence_id"]] > 0]
    ranked.sort(key=lambda row: (-gains[row["sentence_id"]], row["sentence_id"]))
    of_chunk, windows = Counter[str](), 0
    chosen = set()
    for row in ranked:
        opens = of_chunk[row["chunk_id"]] % size == 0
        if windows + opens <= most:
            windows += opens
            of_chunk[row["chunk_id"]] += 1
            chosen.add(row["sentence_id"])
    return frozenset(chosen)


def _overlap(config: WindowConfig) -> int:
    return min(_OVERLAP, config.window_sentences - 1)


def _cost_of_all(read: Sequence[_Row], config: WindowConfig) -> float:
    """Return about how many tokens it takes to read all sentences of a stretch."""
    overlap = _overlap(config)
    step = config.window_sentences - overlap
    requests = len(read) / step / max(1.0, config.windows_per_request * _WINDOWS_OF_REQUEST)
    repeated = overlap * requests / len(read)  # at the end of a request
    return requests * _REQUEST_TOKENS + (1 + repeated) * sum(map(_tokens, read))


def _tokens(sentence: _Row) -> float:
    return len(sentence["text"]) / _CHARACTERS_A_TOKEN


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


def _cut(sentences: Sequence[_Row], size: int, overlap: int = 0) -> Iterator[_Window]:
    for start in range(0, max(len(sentences) - overlap, min(len(sentences), 1)), size - overlap):
        yield list(sentences[start : start + size])


def _even(windows: Sequence[_Window], count: int) -> Iterator[list[_Window]]:
    """Split windows into packs of nearly equal size."""
    ends = [len(windows) * number // count for number in range(count + 1)] if count else [0]
    for start, end in pairwise(ends):
        yield list(windows[start:end])


def _number(*parts: object) -> int:
    return int(content_id(*map(str, parts))[:8], 16)


def _covered(triples: pa.Table) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    columns = ["sentence_id", "head_start", "head_end", "tail_start", "tail_end"]
    for row in triples.select(columns).to_pylist():
        spans = found.setdefault(row["sentence_id"], [])
        spans += [(row[f"{end}_start"], row[f"{end}_end"]) for end in ("head", "tail")]
    return found


class _Gains:
    """Estimates how much the rules may have missed in a sentence."""

    def __init__(self, covered: Mapping[str, Iterable[tuple[int, int]]]) -> None:
        self._covered = covered

    def of(self, sentence: _Row) -> float:
        """Return the missed words divided by the words that the sentence costs."""
        return self.missed(sentence) / (len(_WORD.findall(sentence["text"])) + _WORDS_AROUND)

    def missed(self, sentence: _Row) -> float:
        """Return the number of missed words: those outside triples, plus coordinations."""
        text, spans = sentence["text"], list(self._covered.get(sentence["sentence_id"], ()))
        found = list(_WORD.finditer(text))
        open_words = sum(
            word[0].lower() not in _FUNCTION_WORDS and not any(start <= word.start() < end for start, end in spans)
            for word in found
        )
        return open_words + _OF_JOINT * len(_JOINT.findall(text)) - _OF_SENTENCE
