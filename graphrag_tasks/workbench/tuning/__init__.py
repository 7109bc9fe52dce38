"""Tuning the encoder and the reranker on a corpus's own questions."""

from graphrag_tasks.workbench.tuning.adapt import KINDS, Adaptation, adapt

__all__ = ["KINDS", "Adaptation", "adapt"]
