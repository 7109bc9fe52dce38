"""An index for analysis: data frames, graphs, pictures, and modes side by side.

In: a graph and its snapshot. Out: pandas, networkx and igraph objects. Open `frames.py` first.
"""
