"""Search modes: one module each, with a function `rank(graph, query, config)`.

In: a graph and a `Query`. Out: a `Ranking` of rows. Open `registry.py` first.
"""
