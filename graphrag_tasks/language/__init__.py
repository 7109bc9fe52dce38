"""Language tools: spaCy pipelines, names, lexical search, and word lists.

In: text. Out: parsed sentences, terms, keys of names. Open `models.py` (loads pipelines) and `parser.py` (parsed
sentences) first; `bm25` is lexical search. Importing the package does not import spaCy.
"""

from graphrag_tasks.language.models import DEFAULT_MODEL, load_pipeline, model_folder, model_version

__all__ = ["DEFAULT_MODEL", "load_pipeline", "model_folder", "model_version"]
