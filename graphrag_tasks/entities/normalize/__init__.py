"""Normalise stage: heads and tails of triples, titles and headings become names."""

from graphrag_tasks.entities.normalize.stage import normalize

__all__ = ["normalize"]
