"""Chunk stages: split documents into chunks and sentences, and resolve links.

In: the tables `documents` and `blocks`. Out: `chunks` and `sentences`. Open `stage.py` first, then
`filter_sentences.py`.
"""

from graphrag_tasks.chunk.stage import chunk

__all__ = ["chunk"]
