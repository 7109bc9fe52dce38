"""What a language model is asked to read: packs of windows, their requests and the replies."""

from graphrag_tasks.ask.reader import LlmReader
from graphrag_tasks.ask.stage import ask

__all__ = ["LlmReader", "ask"]
