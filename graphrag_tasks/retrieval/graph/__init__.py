"""The opened snapshot as arrays: names, chunks, relations and communities.

In: tables of a snapshot. Out: a `Graph` addressed by row numbers. Open `pinned.py` first.
"""
