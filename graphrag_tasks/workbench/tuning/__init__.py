"""Tune the encoder and the reranker on a corpus's own questions.

In: an index and questions with gold. Out: model folders, if they are better. Open `adapt.py` first; needs the extra
`train`.
"""

from graphrag_tasks.workbench.tuning.adapt import KINDS, Adaptation, adapt

__all__ = ["KINDS", "Adaptation", "adapt"]
