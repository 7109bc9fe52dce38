"""Workbench: what a person does besides nightly runs: measure, judge, tune, approve an ontology.

`evaluation` measures retrieval and answers on questions with known sources, also for the quality gate; `questions`
makes such questions; `judges` lets a model judge answers; `tuning` tunes encoder and reranker; `ontology` proposes
types and relations. Open `evaluation/gate.py` first.
"""
