"""Embedding: texts to unit vectors, and the stage that stores them."""

from graphrag_tasks.embed.stage import embed, make_embedder

__all__ = ["embed", "make_embedder"]
