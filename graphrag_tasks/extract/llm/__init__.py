"""What a language model is asked to read, and how much of what it tells the sentences support."""

from graphrag_tasks.extract.llm.adopt import adopt
from graphrag_tasks.extract.llm.ask import ask
from graphrag_tasks.extract.llm.reader import LlmReader

__all__ = ["LlmReader", "adopt", "ask"]
