"""Parse stage: files become blocks of text (paper, section 3.1: ingestion through Docling).

Importing this package imports neither docling nor pandas: the readers do so when the first
document that needs them is parsed.
"""

from graphrag_tasks.parse.stage import parse

__all__ = ["parse"]
