"""Mention linking: where entities are mentioned, by triples and by name matches in text.

Triples, sentences and resolved names come in; mentions and chunk links go out. Open `stage.py` first.
"""

from graphrag_tasks.entities.link_mentions.stage import link_mentions

__all__ = ["link_mentions"]
