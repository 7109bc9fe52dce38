"""Shards and rows that are carried over become one corpus."""

from graphrag_tasks.merge.shards import merge_shards

__all__ = ["merge_shards"]
