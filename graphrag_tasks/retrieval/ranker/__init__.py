"""Rankers: scores of chunks.

In: a graph and a `Query`. Out: chunk scores, shape (chunks,). Open `learned.py` first, then `walk.py` and
`features.py`.
"""
