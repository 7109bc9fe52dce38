"""Passages that several versions of a document hold, as one hit: that of the newest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval.context.hits import ChunkHit
from graphrag_tasks.versions.chains import order_of
from graphrag_tasks.versions.told import Releases

MORE = 2  # Times more chunks that are ranked where documents have versions, to fill places that fold.

_ONE_PASSAGE = 0.6
"""Share of the shorter one's words that passages of two versions have in common, if they are one; chosen."""


def folded(hits: Iterable[ChunkHit], releases: Releases, places: int) -> tuple[ChunkHit, ...]:
    """Return the first hits with their release, a passage of several versions at its best place.

    Its text is that of the newest version among the hits.
    """
    kept: list[ChunkHit] = []
    for hit in hits:
        release = releases.of.get(hit.document_id, "")
        own = replace(hit, release=release)
        place = next((place for place, other in enumerate(kept) if _is_version(own, other, releases)), None)
        if place is None:
            kept.append(own)
            continue
        kept[place] = max(own, kept[place], key=lambda one: order_of(one.release))
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(kept[:places], 1))


def _is_version(one: ChunkHit, other: ChunkHit, releases: Releases) -> bool:
    if one.document_id == other.document_id or one.document_id not in releases.versions_of(other.document_id):
        return False
    words, others = frozenset(terms(one.text)), frozenset(terms(other.text))
    return len(words & others) >= _ONE_PASSAGE * min(len(words), len(others))
