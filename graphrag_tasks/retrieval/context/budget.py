"""Fit chunks into a budget of characters: without copies, the last one cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import tee

from graphrag_tasks.language.copies import are_copies
from graphrag_tasks.retrieval.context.hits import ChunkHit, SourceSentence

MOST_READ = 100  # Chunks that are ranked for a budget: 16,000 characters hold about 15 of usual length.


def without_copies(chunks: Iterable[ChunkHit]) -> Iterator[ChunkHit]:
    """Yield chunks that are no near-duplicates of better ones."""
    hits, texts = tee(chunks)
    is_copy = are_copies(chunk.text for chunk in texts)
    return (chunk for chunk, copied in zip(hits, is_copy, strict=True) if not copied)


def within_budget(
    chunks: Iterable[ChunkHit], characters: int, sentences: Sequence[Sequence[SourceSentence]]
) -> tuple[ChunkHit, ...]:
    """Return the first chunks that fit, renumbered; the last is cut after a whole sentence.

    `chunks` are best first; `characters` limits all texts together; `sentences` are those of each chunk.
    """
    kept: list[ChunkHit] = []
    left = characters
    for chunk, of_chunk in zip(chunks, sentences, strict=True):
        ends = [sentence.char_end - chunk.char_start for sentence in of_chunk]
        fits = [end for end in (*ends, len(chunk.text)) if end <= left]
        if not fits:
            break
        end = max(fits)
        cut = replace(chunk, text=chunk.text[:end], char_end=chunk.char_start + end)
        kept.append(replace(cut if end < len(chunk.text) else chunk, rank=len(kept) + 1))
        left -= end
        if end < len(chunk.text):
            break
    return tuple(kept)
