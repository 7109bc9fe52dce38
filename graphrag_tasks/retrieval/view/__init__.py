"""The reader's view of a snapshot: visible rows, and their vectors.

In: a snapshot and a reader's principals. Out: visible tables and arrays. Open `visibility.py` first.
"""
