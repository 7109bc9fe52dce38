"""What the plugin and the DAGs do in Airflow: prints one line of JSON with what was seen.

Run in a process of its own, as Airflow's settings are of the whole process, with the corpus's runs: `python -m
tests.dags.in_airflow DAGS_FOLDER RUNS QUESTIONS URL`. Nothing is served.
"""

import asyncio
import json
import logging.handlers
import os
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from airflow.utils import db
from jsonschema import Draft202012Validator

HEAVY = {"graphrag_tasks.inspect.pages", "graphrag_tasks.retrieval", "spacy", "docling", "igraph"}
PAGES = "/team/airflow/graphrag"


def plugin() -> dict[str, Any]:
    """Ask Airflow's application for the plugin's pages, as strangers and as users."""
    from airflow import plugins_manager
    from airflow.api_fastapi.app import create_app, get_auth_manager
    from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser
    from fastapi.testclient import TestClient
    from starlette.routing import Mount

    (found,) = [one for one in plugins_manager._get_plugins()[0] if one.name == "graphrag"]
    brought = sorted(HEAVY & set(sys.modules))
    client = TestClient(create_app(apps="core"), follow_redirects=False)

    def token(role: str | None) -> str:
        return get_auth_manager().generate_jwt(SimpleAuthManagerUser(username="somebody", role=role))

    def get(page: str, **headers: str) -> tuple[int, str]:
        answer = client.get(page, headers=headers)
        client.cookies.clear()
        return answer.status_code, answer.text

    def get_as(page: str, role: str | None) -> tuple[int, str]:
        return get(page, Authorization=f"Bearer {token(role)}")

    def post_as(page: str, role: str) -> tuple[int, str]:
        asked = {"Authorization": f"Bearer {token(role)}", "Sec-Fetch-Site": "same-origin"}
        answer = client.post(page, headers=asked, data={"name": "table VBBS"})
        client.cookies.clear()
        return answer.status_code, answer.text

    from graphrag_plugin import _pages

    stores = [route.path for route in _pages().routes if isinstance(route, Mount)]
    paths = [route.path.replace("{snapshot_id}", "current") for route in _pages().routes]
    paths = [f"{path}/snapshots" if path in stores else path for path in paths]
    return {
        "brought": brought,
        "views": found.external_views,
        "anonymous": {path: get(PAGES + path) for path in paths},
        "forged": get(f"{PAGES}/snapshots", Authorization=f"Bearer {token('viewer')[:-4]}AAAA"),
        "no role": get_as(f"{PAGES}/snapshots", None),
        "viewer": get_as(f"{PAGES}/snapshots", "viewer"),
        "editor": get_as(f"{PAGES}/snapshots", "op"),
        "other store": [get_as(f"{PAGES}{path}/snapshots", "viewer") for path in stores],
        "changes": {
            role: {
                page: post_as(f"{PAGES}/snapshots/current/{page}", role)[0]
                for page in ("ask", "rollback", "entities/edit")
            }
            for role in ("viewer", "op")
        },
        "cookie": get(f"{PAGES}/snapshots", Cookie=f"_token={token('viewer')}"),
        "added by FastAPI": {page: get_as(PAGES + page, "admin")[0] for page in ("/docs", "/redoc", "/openapi.json")},
    }


def leave_out_airflows_routes() -> None:
    """Let Airflow's application have no API of its own: its making takes a dozen CPU-seconds."""
    from fastapi import APIRouter

    for name in ("public", "ui"):
        module = ModuleType(f"airflow.api_fastapi.core_api.routes.{name}")
        setattr(module, f"{name}_router", APIRouter())
        sys.modules[module.__name__] = module


def check_schemas_once() -> None:
    """Check each schema of a param once: Airflow does so thousands of times in a run."""
    check = Draft202012Validator.check_schema
    checked: set[str] = set()

    def check_once(schema: Any) -> None:
        written = json.dumps(schema, sort_keys=True)
        if written not in checked:
            check(schema)
            checked.add(written)

    Draft202012Validator.check_schema = check_once


def described(dag: Any) -> dict[str, Any]:
    """Return what a DAG says of itself."""
    from graphrag_tasks.core.errors import SourceError, TransientError

    def retries(task: Any) -> list[Any]:
        kinds = (SourceError, TransientError)
        actions = [task.retry_policy.evaluate(kind("what"), 1, 2).action.value for kind in kinds]
        return [task.retries, *actions]

    tasks = dag.task_dict
    return {
        "edges": sorted((up, down) for up, one in tasks.items() for down in one.downstream_task_ids),
        "params": {name: {**param.schema, "description": param.description} for name, param in dag.params.items()},
        "max_active_runs": dag.max_active_runs,
        "paused": dag.is_paused_upon_creation,
        "catchup": dag.catchup,
        "doc": dag.doc_md,
        "retries": {task_id: retries(task) for task_id, task in tasks.items()},
        "unbounded": [task_id for task_id, one in tasks.items() if one.execution_timeout is None],
    }


def note_of(run: Any) -> str | None:
    """Return the note that is in the database, which the run at hand may not have."""
    from airflow.models.dagrun import DagRun
    from airflow.utils.session import create_session

    with create_session() as session:
        note: str | None = session.get(DagRun, run.id).note
        return note


def links_of(dag: Any, tasks: list[Any]) -> dict[str, str]:
    """Return the links of tasks as the UI has them: task, map index and name, and the address."""
    from airflow.serialization.serialized_objects import DagSerialization

    served = DagSerialization.from_dict(DagSerialization.to_dict(dag))
    found = {}
    for one in tasks:
        task = served.get_task(one.task_id)
        for name in task.extra_links:
            if address := task.get_extra_links(one, name):
                found[f"{one.task_id} {one.map_index} {name}"] = address
    return found


def reindexed(dag: Any, params: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Run the reindex DAG; return the run and how it ended."""
    run = dag.test(run_conf=params)
    tasks = run.get_task_instances()
    current = Path(params["store"]) / "CURRENT"
    return run, {
        "state": run.state,
        "note": note_of(run),
        "tasks": {one.task_id: one.state for one in tasks},
        "mapped": sum(one.task_id == "shard.parse" for one in tasks),
        "links": links_of(dag, tasks),
        "names": sorted(f"{one.task_id}: {one.rendered_map_index}" for one in tasks if one.map_index >= 0),
        "current": current.read_text() if current.exists() else None,
    }


def annotated(run: Any) -> str | None:
    """Write a note as a user does, let the plugin write its own, and return what is left."""
    from airflow.models.dagrun import DagRun
    from airflow.utils.session import create_session
    from graphrag_plugin import write_note

    with create_session() as session:
        noted = session.get(DagRun, run.id)
        noted.dag_run_note.content, noted.dag_run_note.user_id = "Mounted again", "somebody"
        session.flush()
        write_note(noted)
    return note_of(run)


def deployed(folder: str) -> dict[str, Any]:
    """Load the DAG with a deadline and a pool from the environment, and let a run be late."""
    from airflow.dag_processing.dagbag import DagBag
    from airflow.triggers.callback import CallbackTrigger

    os.environ |= {
        "GRAPHRAG_AIRFLOW_DEADLINE_HOURS": "1.5",
        "GRAPHRAG_AIRFLOW_POOL": "graphrag_shards",
        "GRAPHRAG_AIRFLOW_LLM_POOL": "graphrag_llm",
        "GRAPHRAG_AIRFLOW_CORPUS_POD": "/pods/corpus.yaml",
        "GRAPHRAG__LLM__MODEL": "m",
    }
    sys.modules.pop("graphrag_defaults")
    dag = DagBag(folder).dags["graphrag_reindex"]
    del os.environ["GRAPHRAG__LLM__MODEL"]
    logged = logging.handlers.BufferingHandler(10)
    logging.getLogger("graphrag_tasks.operations.metrics").addHandler(logged)

    async def run_late(callback: Any) -> list[str]:
        context = {"dag_run": {"dag_id": "graphrag_reindex", "dag_run_id": "of tonight"}}
        trigger = CallbackTrigger(callback.path, {**(callback.kwargs or {}), "context": context})
        return [event.payload["state"] async for event in trigger.run()]

    return {
        "templates": {task_id: task.executor_config for task_id, task in dag.task_dict.items()},
        "pools": {task_id: task.pool for task_id, task in dag.task_dict.items()},
        "deadlines": [one.interval.total_seconds() for one in dag.deadline],
        "alerted": asyncio.run(run_late(dag.deadline[0].callback)),
        "alert": [one.getMessage() for one in logged.buffer],
    }


def reading(folder: str, params: dict[str, Any], url: str) -> dict[str, Any]:
    """Load the DAG as it is with a language model, batches and approval, and run it.

    What the runs cost is below what somebody has to approve.
    """
    from airflow.dag_processing.dagbag import DagBag

    from graphrag_tasks.llm import batch
    from graphrag_tasks.operations import runner

    batch.BATCH_FROM, runner.POLL_SECONDS = 2, 0.1
    os.environ |= {
        "GRAPHRAG__LLM__BASE_URL": url,
        "GRAPHRAG__LLM__MODEL": "m",
        "GRAPHRAG__LLM__PRICES": json.dumps({"m": {"input": 1, "output": 2}}),
        "GRAPHRAG__LLM__BATCH": "auto",
        "GRAPHRAG__LLM__BUDGET__APPROVE_ABOVE_USD": "1",
    }
    for name in ("DEADLINE_HOURS", "CORPUS_POD"):  # no run of `dag.test` may have a deadline
        del os.environ[f"GRAPHRAG_AIRFLOW_{name}"]
    for module in ("graphrag_defaults", "graphrag_asking"):
        sys.modules.pop(module)
    dag = DagBag(folder).dags["graphrag_reindex"]
    _, ended = reindexed(dag, params)
    one = Path(f"{params['store']}-one")
    one.mkdir()
    (one / "a.txt").write_text("SAP replaced the table VBBS with the table VBBE.\n")
    unseen = {"extractor": "dependency", "sources": [str(one)], "store": f"{one}-unseen"}
    _, unread = reindexed(dag, {**params, **unseen})
    sensor = dag.task_dict["batches"]
    return {**described(dag), **ended, "sleeps": sensor.reschedule, "unread": unread}


def followed(dag: Any, params: dict[str, Any], approved: str | None = None) -> dict[str, Any]:
    """Run another DAG; return how it ended and what its tasks returned.

    The task `approved`, which would wait for a person, succeeds at once.
    """
    run = dag.test(run_conf=params, mark_success_pattern=approved)
    tasks = run.get_task_instances()
    return {
        "state": run.state,
        "note": note_of(run),
        "tasks": {one.task_id: one.state for one in tasks},
        "links": links_of(dag, tasks),
        "returned": {one.task_id: one.xcom_pull(one.task_id) for one in tasks},
    }


def approval_of(dag: Any) -> dict[str, Any]:
    """Return what a DAG's approval does where nobody answers."""
    approve = dag.task_dict["approve"]
    return {
        "defaults": list(approve.defaults),
        "hours": approve.response_timeout.total_seconds() / 3600,
        "shows": [approve.subject, approve.body],
    }


def dags(folder: str, runs: list[dict[str, Any]], questions: str, url: str) -> dict[str, Any]:
    """Load the DAGs and run them."""
    from airflow.dag_processing.dagbag import DagBag

    sleep, time.sleep = time.sleep, lambda _: sleep(0.01)  # dag.test waits whole seconds
    check_schemas_once()
    sys.path.append(folder)  # as Airflow does
    bag = DagBag(folder)
    assert not bag.import_errors, bag.import_errors
    reindex, maintenance, evaluate, ontology = (
        bag.dags[f"graphrag_{name}"] for name in ("reindex", "maintenance", "evaluate", "ontology")
    )
    ended = [reindexed(reindex, params) for params in runs]
    store = runs[0]["store"]
    broken = Path(f"{store}-broken")
    broken.mkdir()
    (broken / "d.docx").write_text("no DOCX file")
    sources = [*runs[0]["sources"], str(broken)]
    read = {"store": f"{store}-read", "extractor": "llm", "sources": sources, "max_failed_share": 1}
    asked = {"store": store, "questions": questions, "modes": ["dense"]}
    users = {"store": store, "questions": questions}
    return {
        "dag": described(reindex),
        "runs": [how for _, how in ended],
        "written by hand": annotated(ended[-1][0]),
        "weights": {
            dag_id: sorted({(task.weight_rule, task.priority_weight) for task in dag.tasks})
            for dag_id, dag in bag.dags.items()
        },
        "files": sorted(Path(one.file).name for one in bag.dagbag_stats),
        "descriptions": {dag_id: dag.description for dag_id, dag in bag.dags.items()},
        "hours": {dag_id: dag.dagrun_timeout.total_seconds() / 3600 for dag_id, dag in bag.dags.items()},
        **deployed(folder),
        "misspelt": followed(maintenance, {"store": store, "kept": 0}),
        "maintained": followed(maintenance, {"store": store, "keep": 0}),
        "evaluated": followed(evaluate, asked),
        "not evaluated": followed(evaluate, {"store": store, "questions": ""}),
        "ontology": {**described(ontology), "approval": approval_of(ontology)},
        "approved": followed(ontology, users, "approve"),
        "in force already": followed(ontology, users, "approve"),
        "not asked": followed(ontology, {"store": store, "questions": ""}),
        "reading": reading(folder, read, url),
    }


if __name__ == "__main__":
    db.initdb()
    leave_out_airflows_routes()
    pages = plugin()  # before the DAGs load what is heavy, and before anything is published
    from graphrag_tasks.pipeline import run

    run.MOST_TASKS = 2
    seen = {"plugin": pages, "dags": dags(sys.argv[1], json.loads(sys.argv[2]), *sys.argv[3:])}
    sys.stdout.write(f"RESULT {json.dumps(seen)}\n")
