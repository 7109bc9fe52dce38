"""The plugin of Airflow: pages of the published snapshots, and a note at each run of how it ended.

Airflow loads plugins in each of its processes and serves their applications to everybody, so nothing of the pages is
imported before the first one is asked for, and they ask Airflow itself who is asking. The store is the one of the DAGs:
`GRAPHRAG__STORE` or `graphrag.toml`. Notes are written by the process that ends a run, the scheduler as a rule: a task
cannot write its run's note.
"""

from __future__ import annotations

from functools import cache
from typing import Any
from urllib.parse import urlsplit

from airflow.configuration import conf
from airflow.listeners import hookimpl
from airflow.plugins_manager import AirflowPlugin

from graphrag_tasks.operations.metrics import NOTE, as_markdown

DAG_ID = "graphrag_reindex"
"""Who may read this DAG may read what it published; who may edit it may change it in the pages."""

PREFIX = "/graphrag"
_ROOT = urlsplit(conf.get("api", "base_url", fallback="")).path.rstrip("/")  # Path that Airflow is served below.

_OUR_DAGS = "graphrag_"
_LONGEST_NOTE = 1000  # characters: what Airflow's database holds


@cache
def _pages() -> Any:  # noqa: ANN401 - a FastAPI application, which is not imported here
    from airflow.api_fastapi.app import get_auth_manager
    from airflow.api_fastapi.auth.managers.models.resource_details import DagDetails
    from airflow.api_fastapi.core_api.security import get_user, requires_access_dag
    from airflow.models.dag import DagModel
    from fastapi import Depends

    from graphrag_tasks.core.config import load_config
    from graphrag_tasks.inspect.pages import make_app

    who = Depends(get_user)

    def editor(user: Any = who) -> str | None:  # noqa: ANN401 - Airflow's
        dag = DagDetails(id=DAG_ID, team_name=DagModel.get_team_name(DAG_ID))
        may = get_auth_manager().is_authorized_dag(method="PUT", details=dag, user=user)
        return str(user.get_name()) if may else None

    authorise = requires_access_dag("GET", param_dag_id=DAG_ID)
    return make_app(authorise, load_config(), editor)


async def pages(scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - as ASGI has it
    """Serve a page; the first one makes the application."""
    from starlette.concurrency import run_in_threadpool

    app = await run_in_threadpool(_pages)
    await app(scope, receive, send)


class RunNotes:
    """Tells at the end of a run what its tasks had to say, in the note that Airflow's UI shows."""

    @hookimpl
    def on_dag_run_success(self, dag_run: Any) -> None:  # noqa: ANN401 - a row of Airflow's
        """Write the note of a run that succeeded."""
        write_note(dag_run)

    @hookimpl
    def on_dag_run_failed(self, dag_run: Any) -> None:  # noqa: ANN401 - a row of Airflow's
        """Write the note of a run that failed."""
        write_note(dag_run)


def write_note(dag_run: Any) -> None:  # noqa: ANN401 - a row of Airflow's
    """Join what the tasks of a run left under `NOTE`; a note that a user wrote stays as it is.

    Args:
        dag_run: In the session of the scheduler, which commits it, or in none.
    """
    if not dag_run.dag_id.startswith(_OUR_DAGS):
        return
    from airflow.models.dagrun import DagRun
    from airflow.utils.session import create_session
    from sqlalchemy.orm import object_session

    if session := object_session(dag_run):
        _write_note(dag_run, session)
    else:  # `airflow dags test` ends a run outside of its session
        with create_session(scoped=False) as session:
            _write_note(session.get_one(DagRun, dag_run.id), session)


def _write_note(dag_run: Any, session: Any) -> None:  # noqa: ANN401 - SQLAlchemy's
    from airflow.models.xcom import XComModel

    before = dag_run.dag_run_note
    if before is not None and before.user_id is not None:
        return
    said = session.scalars(XComModel.get_many(run_id=dag_run.run_id, dag_ids=dag_run.dag_id, key=NOTE))
    if texts := sorted({as_markdown(str(XComModel.deserialize_value(one))) for one in said}):
        dag_run.note = "\n\n".join(texts)[:_LONGEST_NOTE]


class GraphragPlugin(AirflowPlugin):
    """Pages below `/graphrag`, an entry of the navigation that shows them, and notes at runs."""

    name = "graphrag"
    listeners = [RunNotes()]  # noqa: RUF012
    fastapi_apps = [{"name": "graphrag", "app": pages, "url_prefix": PREFIX}]  # noqa: RUF012
    external_views = [  # noqa: RUF012
        {"name": "GraphRAG", "href": f"{_ROOT}{PREFIX}/", "destination": "nav", "url_route": "graphrag"}
    ]
