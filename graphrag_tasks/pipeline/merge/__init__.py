"""Collect: the shards' rows and the rows carried over become one corpus.

`stage` decides which rows hold, `sorting` puts them into the order of their documents, out of core.
"""

from graphrag_tasks.pipeline.merge.stage import merge_shards

__all__ = ["merge_shards"]
