"""The rule extractor: frames from dependency parses, each with a confidence.

In: sentences. Out: `Frame` objects. Open `extractor.py` first, then `clauses.py` (verbs, and noun phrases that a
preposition links), `subjects.py`, `arguments.py`, `predicates.py`, `nominal.py`; `repair.py` corrects parses,
`confidence.py` scores frames.
"""
