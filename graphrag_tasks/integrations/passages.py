"""Metadata of a passage that a retriever returns."""

from __future__ import annotations

from typing import Any

from graphrag_tasks.retrieval import ChunkHit
from graphrag_tasks.retrieval.context.hits import chunk_place


def passage_metadata(hit: ChunkHit, snapshot_id: str) -> dict[str, Any]:
    """Return the position and score of a passage, as JSON values.

    Returns:
        `citation` (title, pages and headings in one line), `title`, `page` (from 1, None if the format has none),
        `uri`, `score` (as of a hit: it falls with the place), `chunk_id`, `document_id` and `snapshot_id`.
    """
    return {
        "citation": chunk_place(hit), "title": hit.title, "page": hit.page_start, "uri": hit.uri,
        "score": float(hit.score), "chunk_id": hit.chunk_id, "document_id": hit.document_id,
        "snapshot_id": snapshot_id,
    }  # fmt: skip
