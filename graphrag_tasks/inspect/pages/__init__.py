"""Web pages for a published store: snapshots, entities, and answers with sources.

A FastAPI application of server-rendered HTML, for Airflow's UI (`plugins/graphrag_plugin.py`) or any other. It mainly
reads the configured store; whoever mounts it decides on access. Open `app.py` first.
"""

from graphrag_tasks.inspect.pages.app import make_app

__all__ = ["make_app"]
