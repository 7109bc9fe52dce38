"""An index for analysis: data frames, graphs and pictures.

In: a graph and its snapshot. Out: pandas, networkx and igraph objects. Open `frames.py` first.
"""
