"""Chunk stage: documents are split into chunks, and their links are resolved."""

from graphrag_tasks.chunk.stage import chunk

__all__ = ["chunk"]
