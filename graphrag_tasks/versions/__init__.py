"""Versions of documents, and what changed from one to the next.

In: documents and their sentences. Out: the tables `versions` and `changes`. Open `stage.py` first.
"""

from graphrag_tasks.versions.stage import versions

__all__ = ["versions"]
