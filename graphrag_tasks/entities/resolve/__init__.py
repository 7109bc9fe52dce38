"""Entity resolution: names of one thing become one entity; every decision is a row.

Names and what ties them come in; entities and merges go out. Open `stage.py` first.
"""

from graphrag_tasks.entities.resolve.candidates import Confirmer
from graphrag_tasks.entities.resolve.llm_confirmer import LlmConfirmer
from graphrag_tasks.entities.resolve.stage import resolve
from graphrag_tasks.language.domain import Overrides, read_overrides

__all__ = ["Confirmer", "LlmConfirmer", "Overrides", "read_overrides", "resolve"]
