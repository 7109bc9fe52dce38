"""Entity dictionary stage: what the corpus itself calls things, and where it says so."""

from graphrag_tasks.entities.dictionary.names import is_key, is_term, name_forms
from graphrag_tasks.entities.dictionary.stage import entity_dictionary

__all__ = ["entity_dictionary", "is_key", "is_term", "name_forms"]
