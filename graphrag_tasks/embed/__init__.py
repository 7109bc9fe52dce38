"""Embedding: texts to unit vectors, and the stage that stores them."""

from graphrag_tasks.embed.stage import DEPENDENCIES, PRODUCES, REQUIRES, embed, make_embedder

__all__ = ["DEPENDENCIES", "PRODUCES", "REQUIRES", "embed", "make_embedder"]
