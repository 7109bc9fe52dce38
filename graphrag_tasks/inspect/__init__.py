"""Inspect a published snapshot: exports of the graph, and pages for the browser.

In: an opened snapshot or index. Out: files, or HTML. Open `pages/app.py` (routes) and `export/selection.py` (which part
of the graph) first.
"""
