"""The rule extractor: frames from dependency parses, each with a confidence.

In: sentences. Out: `Frame` objects. Open `extractor.py` first, then `clauses.py` (verbs), `subjects.py`,
`arguments.py`, `predicates.py`; `nominal.py` and `qualifiers.py` handle facts without a verb, `repair.py` and
`rereading.py` correct parses, `confidence.py` scores frames.
"""
