"""The plugin of Airflow's UI: pages of the published snapshots, for who may read the reindex DAG.

Airflow loads plugins in each of its processes and serves their applications to everybody, so
nothing of the pages is imported before the first one is asked for, and they ask Airflow itself who
is asking. The store is the one of the DAGs: `GRAPHRAG__STORE` or `graphrag.toml`.
"""

from __future__ import annotations

from functools import cache
from typing import Any
from urllib.parse import urlsplit

from airflow.configuration import conf
from airflow.plugins_manager import AirflowPlugin

DAG_ID = "graphrag_reindex"
"""Who may read this DAG may read what it published."""

PREFIX = "/graphrag"


@cache
def _pages() -> Any:  # noqa: ANN401 - a FastAPI application, which is not imported here
    from airflow.api_fastapi.core_api.security import requires_access_dag

    from graphrag_tasks.config import load_config
    from graphrag_tasks.pages import make_app

    return make_app(requires_access_dag("GET", param_dag_id=DAG_ID), load_config())


async def pages(scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - as ASGI has it
    """Serve a page; the first one makes the application."""
    from starlette.concurrency import run_in_threadpool

    app = await run_in_threadpool(_pages)
    await app(scope, receive, send)


class GraphragPlugin(AirflowPlugin):
    """Pages below `/graphrag`, and an entry of the navigation that shows them."""

    name = "graphrag"
    fastapi_apps = [{"name": "graphrag", "app": pages, "url_prefix": PREFIX}]  # noqa: RUF012
    external_views = [  # noqa: RUF012
        {
            "name": "GraphRAG",
            "href": f"{urlsplit(conf.get('api', 'base_url', fallback='')).path.rstrip('/')}"
            f"{PREFIX}/",
            "destination": "nav",
            "url_route": "graphrag",
        }
    ]
