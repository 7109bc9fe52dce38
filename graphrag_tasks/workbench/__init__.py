"""What a person does beside nightly runs: measure, ask, judge, tune, and approve an ontology.

`evaluation` measures answers and what is found on questions with known sources, also for the
quality gate; `questions` makes such questions; `judges` has a model judge answers; `tuning` fits
encoder and reranker; `ontology` proposes types and relations. Begin with `evaluation/gate.py`.
"""
