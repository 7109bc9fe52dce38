"""Normalise stage: heads and tails of triples, titles and headings become names."""

from graphrag_tasks.entities.normalize.stage import DEPENDENCIES, PRODUCES, REQUIRES, normalize

__all__ = ["DEPENDENCIES", "PRODUCES", "REQUIRES", "normalize"]
