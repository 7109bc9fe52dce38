"""Entity dictionary: names from titles, headings, table keys and definitions.

Documents, blocks, cells and chunks come in; names per chunk go out. Open `stage.py` first.
"""

from graphrag_tasks.entities.dictionary.stage import entity_dictionary, is_key, is_term, name_forms

__all__ = ["entity_dictionary", "is_key", "is_term", "name_forms"]
