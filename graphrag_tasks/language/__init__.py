"""spaCy pipelines, used at full speed and with technical text in mind.

`models` loads them, `annotate` runs their components over batches, `tokens` holds the parsed
sentence that rules read, `morphology` its parts of speech and lemmas, and `parser` makes it.
Importing the package does not import spaCy, so a DAG file or a reader pays nothing for it.
"""

from graphrag_tasks.language.models import DEFAULT_MODEL, load_pipeline, model_folder, model_version

__all__ = ["DEFAULT_MODEL", "load_pipeline", "model_folder", "model_version"]
