"""Mention stage: where entities are mentioned, by triples and by their names in the text."""

from graphrag_tasks.entities.link_mentions.stage import link_mentions

__all__ = ["link_mentions"]
