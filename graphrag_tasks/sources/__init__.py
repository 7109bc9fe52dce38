"""Sources: list documents, read their bytes, and decide who may see them.

In: folders, files and URIs. Out: rows of `LISTED`, and bytes by uri. Open `listing.py` first, then `labels.py` (access)
and `markdown` (includes and dialects).
"""
