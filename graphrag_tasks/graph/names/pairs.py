"""Pairs of a chunk and an entity."""

from __future__ import annotations

from dataclasses import dataclass

from graphrag_tasks.storage.columns import Rows


@dataclass(frozen=True)
class Pairs:
    """Row numbers of chunks and of entities, equally long; a pair may occur twice."""

    chunks: Rows
    entities: Rows
