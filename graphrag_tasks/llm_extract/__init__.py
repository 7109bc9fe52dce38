"""What a language model is asked to read, and how much of what it tells the sentences support."""

from graphrag_tasks.llm_extract.adopt import adopt
from graphrag_tasks.llm_extract.ask import ask
from graphrag_tasks.llm_extract.reader import LlmReader

__all__ = ["LlmReader", "adopt", "ask"]
