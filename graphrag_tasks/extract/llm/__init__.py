"""Extraction by a language model: choosing sentences, asking, and checking the answers.

In: sentences and the rules' triples. Out: `windows`, `replies`, and the adopted facts. Open `ask.py` first, then
`adopt.py` and `support.py`, which checks facts against their sentence.
"""

from graphrag_tasks.extract.llm.adopt import adopt
from graphrag_tasks.extract.llm.ask import LlmReader, ask

__all__ = ["LlmReader", "adopt", "ask"]
