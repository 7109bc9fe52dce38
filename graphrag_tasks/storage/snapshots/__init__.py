"""Snapshots: published versions of the index.

In: finished tables. Out: an immutable `Snapshot`. Open `store.py` (layout) first, then `manifests.py` and `publish.py`.
"""
