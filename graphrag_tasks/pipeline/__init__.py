"""Pipeline: runs the stages on tables, from a plan to a published snapshot.

Airflow tasks, the command line and tests share a `Run`, which each opens by its folder. `run.json` holds its
configuration and the snapshot it builds on. Open `stages.py` (order) and `run.py` first.
"""

from graphrag_tasks.pipeline.outlook import Outlook, asked_of_models, check, look_ahead, sources_of
from graphrag_tasks.pipeline.run import Published, Run
from graphrag_tasks.pipeline.stages import CORPUS_STAGES, MODEL_STAGES, SHARD_STAGES

__all__ = [
    "CORPUS_STAGES",
    "MODEL_STAGES",
    "SHARD_STAGES",
    "Outlook",
    "Published",
    "Run",
    "asked_of_models",
    "check",
    "look_ahead",
    "sources_of",
]
