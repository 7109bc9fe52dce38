"""Mention stage: where entities are mentioned, by triples and by their names in the text."""

from graphrag_tasks.mention.stage import DEPENDENCIES, PRODUCES, REQUIRES, mention

__all__ = ["DEPENDENCIES", "PRODUCES", "REQUIRES", "mention"]
