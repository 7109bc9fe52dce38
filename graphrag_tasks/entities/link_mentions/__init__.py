"""Mention stage: where entities are mentioned, by triples and by their names in the text."""

from graphrag_tasks.entities.link_mentions.stage import DEPENDENCIES, PRODUCES, REQUIRES, mention

__all__ = ["DEPENDENCIES", "PRODUCES", "REQUIRES", "mention"]
