"""Parse stage: reads files (paper, section 3.1: ingestion through Docling).

In: bytes of source files. Out: the tables `documents`, `blocks` and `cells`. Open `stage.py` first, then `readers.py`,
which names the reader of each file type. Importing this package imports neither docling nor pandas.
"""

from graphrag_tasks.parse.stage import parse

__all__ = ["parse"]
