"""What a language model told, judged by the sentences that it names."""

from graphrag_tasks.adopt.stage import adopt

__all__ = ["adopt"]
