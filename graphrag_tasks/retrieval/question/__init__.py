"""The question: query, parts, seeds, and the router that chooses a mode.

In: a text. Out: a `Query` and a `Route`. Open `query.py` first.
"""
