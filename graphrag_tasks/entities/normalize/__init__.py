"""Normalise stage: heads and tails of triples, titles and headings become names.

Triples and the entity dictionary come in; surface forms and names go out. Open `stage.py` first.
"""

from graphrag_tasks.entities.normalize.stage import normalize

__all__ = ["normalize"]
