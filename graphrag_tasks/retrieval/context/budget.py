"""Chunks within a budget of characters: as they come, copies once, the last one cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import tee

from graphrag_tasks.language.copies import are_copies
from graphrag_tasks.retrieval.context.hits import ChunkHit, SourceSentence

MOST_READ = 100
"""Chunks that are ranked for a budget: 16,000 characters hold about 15 of usual length."""


def without_copies(chunks: Iterable[ChunkHit]) -> Iterator[ChunkHit]:
    """Yield chunks, without those that say the same as a better one in nearly the same words."""
    hits, texts = tee(chunks)
    is_copy = are_copies(chunk.text for chunk in texts)
    return (chunk for chunk, copied in zip(hits, is_copy, strict=True) if not copied)


def within_budget(
    chunks: Iterable[ChunkHit], characters: int, sentences: Sequence[Sequence[SourceSentence]]
) -> tuple[ChunkHit, ...]:
    """Return the first chunks that fit, renumbered; the last is cut to its first whole sentences.

    Args:
        chunks: Best first.
        characters: Of all texts together.
        sentences: Those of each chunk.
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
