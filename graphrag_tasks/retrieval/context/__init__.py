"""Search results: hits with their sources, as text, tables and pictures.

In: rows that a mode ranked. Out: a `Context`. Open `context.py` and `hits.py` first.
"""
