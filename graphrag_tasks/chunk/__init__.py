"""Chunk stage: documents are split into chunks, and their links are resolved."""

from graphrag_tasks.chunk.stage import DEPENDENCIES, PRODUCES, REQUIRES, chunk

__all__ = ["DEPENDENCIES", "PRODUCES", "REQUIRES", "chunk"]
