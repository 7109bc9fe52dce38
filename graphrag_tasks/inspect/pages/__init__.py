"""Pages that show what was published: snapshots, entities, and answers with their sources.

A FastAPI application of server-rendered HTML, for Airflow's UI (`plugins/graphrag_plugin.py`) or
any other. It only reads the configured store; whoever mounts it decides who may see it.
"""

from graphrag_tasks.inspect.pages.app import make_app

__all__ = ["make_app"]
