"""The DAGs: they load, and run to their ends; graphrag_reindex reads like the method's figure.

One child process loads the DAG and runs it three times by `dag.test`, which `airflow dags test`
calls too: Airflow's start-up is most of the cost, and its settings are of the whole process.
"""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.dags.conftest import RunScript

ROOT = Path(__file__).parents[2]

SECRETS = {
    "GRAPHRAG_MILVUS_TOKEN": "root:milvus-Zx81Kq",
    "OPENAI_API_KEY": "sk-openai-Zx82Kq",
    "AWS_SECRET_ACCESS_KEY": "s3-Zx84Kq",
}

QUESTION = {
    "id": "q1", "question": "What replaced the table VBBS?", "answer": "VBBE", "type": "single",
    "gold_ids": ["a.txt"],
}  # fmt: skip

SCRIPT = """
import asyncio, json, logging.handlers, os, sys, time
from pathlib import Path
from airflow.dag_processing.dagbag import DagBag
from airflow.models.dagrun import DagRun
from airflow.triggers.callback import CallbackTrigger
from airflow.utils.session import create_session
from graphrag_plugin import write_note
from graphrag_tasks.core.errors import SourceError, TransientError

sleep, time.sleep = time.sleep, lambda seconds: sleep(0.01)  # dag.test waits whole seconds
sys.path.append(sys.argv[1])  # as Airflow does with the folder of DAGs
bag = DagBag(sys.argv[1])
assert not bag.import_errors, bag.import_errors
assert set(bag.dags) == {"graphrag_reindex", "graphrag_maintenance", "graphrag_evaluate"}
dag = bag.dags["graphrag_reindex"]
described = {
    "edges": sorted((up, down) for up, task in dag.task_dict.items()
                    for down in task.downstream_task_ids),
    "params": {name: {**param.schema, "description": param.description}
               for name, param in dag.params.items()},
    "max_active_runs": dag.max_active_runs,
    "paused": dag.is_paused_upon_creation,
    "catchup": dag.catchup,
    "doc": dag.doc_md,
    "retries": {task_id: [task.retries] + [
        task.retry_policy.evaluate(error("what"), 1, 2).action.value
        for error in (SourceError, TransientError)
    ] for task_id, task in dag.task_dict.items()},
    "unbounded": [task_id for task_id, task in dag.task_dict.items()
                  if task.execution_timeout is None],
}
def note(run):
    with create_session() as session:  # what is in the database, not in the run at hand
        return session.get(DagRun, run.id).note

runs = []
for params in json.loads(sys.argv[2]):
    run = dag.test(run_conf=params)
    states = {one.task_id: one.state for one in run.get_task_instances()}
    mapped = [one for one in run.get_task_instances() if one.task_id == "shard.parse"]
    current = Path(params["store"]) / "CURRENT"
    (last,) = [one for one in run.get_task_instances() if one.task_id == "publish"]
    runs.append({"state": run.state, "note": note(run), "tasks": states, "mapped": len(mapped),
                 "link": last.xcom_pull("publish", key="_link_SnapshotLink"),
                 "current": current.read_text() if current.exists() else None})
with create_session() as session:
    noted = session.get(DagRun, run.id)
    noted.dag_run_note.content, noted.dag_run_note.user_id = "Mounted again", "somebody"
    session.flush()
    write_note(noted)
written_by_hand = note(run)
os.environ |= {"GRAPHRAG_AIRFLOW_DEADLINE_HOURS": "1.5", "GRAPHRAG_AIRFLOW_POOL": "graphrag_shards"}
sys.modules.pop("graphrag_defaults")
deployed = DagBag(sys.argv[1]).dags["graphrag_reindex"]
late = deployed.deadline

logged = logging.handlers.BufferingHandler(10)
logging.getLogger("graphrag_tasks.operations.alerts").addHandler(logged)

async def run_late(callback):
    context = {"dag_run": {"dag_id": "graphrag_reindex", "dag_run_id": "of tonight"}}
    trigger = CallbackTrigger(callback.path, {**(callback.kwargs or {}), "context": context})
    return [event.payload["state"] async for event in trigger.run()]

alerted = asyncio.run(run_late(late[0].callback))

def follow(dag_id, params):
    run = bag.dags[dag_id].test(run_conf=params)
    found = run.get_task_instances()
    return {"state": run.state, "tasks": {one.task_id: one.state for one in found},
            "returned": {one.task_id: one.xcom_pull(one.task_id) for one in found}}

store = json.loads(sys.argv[2])[0]["store"]
questions = sys.argv[3]
print("RESULT", json.dumps({
    "dag": described, "runs": runs, "written by hand": written_by_hand,
     "weights": {dag_id: sorted({(task.weight_rule, task.priority_weight) for task in dag.tasks})
                for dag_id, dag in bag.dags.items()},
    "pools": {task_id: task.pool for task_id, task in deployed.task_dict.items()},
    "hours": {dag_id: dag.dagrun_timeout.total_seconds() / 3600
              for dag_id, dag in bag.dags.items()},
    "alerted": alerted, "alert": [one.getMessage() for one in logged.buffer],
    "deadlines": [one.interval.total_seconds() for one in late],
    "maintained": follow("graphrag_maintenance", {"store": store, "keep": 0}),
    "evaluated": follow("graphrag_evaluate", {"store": store, "questions": questions,
                                              "modes": ["dense"]}),
    "not evaluated": follow("graphrag_evaluate", {"store": store, "questions": ""}),
}))
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs") / "store"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("airflow")


@pytest.fixture(scope="module")
def seen(run_script: RunScript, home: Path, store: Path) -> dict[str, Any]:
    """What the DAG is, and how a first run, a second one and one without its source ended."""
    settings = {
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
        "GRAPHRAG__LOAD__VECTOR_STORE": "none",
        "GRAPHRAG__PLAN__SHARD_BYTES": "1",  # each document is a shard
        "GRAPHRAG__PLAN__MAX_TASKS": "2",
    }
    corpus = write_corpus(store.parent / "corpus")
    good = {"sources": [str(corpus)], "store": str(store)}
    missing = good | {"sources": [str(store.parent / UNMOUNTED)]}
    questions = store.parent / "questions.jsonl"
    questions.write_text(json.dumps(QUESTION) + "\n")
    runs = json.dumps([good, good, missing])
    printed = run_script(
        SCRIPT, str(ROOT / "dags"), runs, str(questions), home=home, variables=SECRETS | settings
    )
    lines = [line for line in printed.splitlines() if line.startswith("RESULT ")]
    assert lines, printed[-3000:]
    result: dict[str, Any] = json.loads(lines[0].removeprefix("RESULT "))
    return result


UNMOUNTED = "un![mounted]<img src=x>"
"""Would be HTML and a picture where it is shown as it is."""


def write_corpus(folder: Path) -> Path:
    folder.mkdir()
    (folder / "a.txt").write_text("SAP replaced the table VBBS with the table VBBE.\n")
    (folder / "b.txt").write_text("The report ZSALES reads the table VBBS.\n")
    (folder / "c.xyz").write_text("skipped")
    return folder


@pytest.mark.usefixtures("seen")
def test_no_secret_is_in_airflows_database_its_logs_or_the_store(home: Path, store: Path) -> None:
    files = [one for top in (home, store) for one in top.rglob("*") if one.is_file()]
    written = {one.name: one.read_bytes() for one in files}
    assert b"graphrag_reindex" in written["airflow.db"]
    for name, data in written.items():
        assert not [one for one in SECRETS.values() if one.encode() in data], name


def test_the_dag_is_safe_to_deploy(seen: dict[str, Any]) -> None:
    dag = seen["dag"]
    assert (dag["max_active_runs"], dag["paused"], dag["catchup"]) == (1, True, False)
    assert dag["unbounded"] == []
    assert "CURRENT" in dag["doc"]


def test_every_run_ends(seen: dict[str, Any]) -> None:
    assert seen["hours"] == {
        "graphrag_reindex": 12, "graphrag_maintenance": 12, "graphrag_evaluate": 4,
    }  # fmt: skip


def test_shards_have_a_pool_of_their_own(seen: dict[str, Any]) -> None:
    for task_id, pool in seen["pools"].items():
        shard = task_id.startswith("shard.")
        assert pool == ("graphrag_shards" if shard else "default_pool"), task_id


def test_the_graph_is_the_methods_figure(seen: dict[str, Any]) -> None:
    chain = [
        "plan", "shard.parse", "shard.chunk", "shard.filter_sentences", "shard.extract",
        "merge_shards", "entity_dictionary", "normalize", "resolve", "link_mentions",
        "relationships", "communities", "embed", "load", "publish",
    ]  # fmt: skip
    assert {tuple(edge) for edge in seen["dag"]["edges"]} == set(pairwise(chain))


def test_every_param_is_typed(seen: dict[str, Any]) -> None:
    params = seen["dag"]["params"]
    assert set(params) == {
        "sources", "store", "extractor", "full_refresh", "allow_mass_delete", "allow_quality_drop",
        "max_failed_share",
    }  # fmt: skip
    assert all(schema["type"] and schema["description"] for schema in params.values())
    assert params["extractor"]["enum"] == ["dependency"]


def test_terminal_errors_are_not_retried_and_transient_ones_are(seen: dict[str, Any]) -> None:
    assert set(map(tuple, seen["dag"]["retries"].values())) == {(2, "fail", "retry")}


def test_a_run_publishes(seen: dict[str, Any], store: Path) -> None:
    first = seen["runs"][0]
    assert first["state"] == "success"
    assert set(first["tasks"].values()) == {"success"}
    manifest = store / "snapshots" / first["current"].strip() / "manifest.json"
    counts = json.loads(manifest.read_text())["stats"]["counts"]
    assert (counts["documents"], counts["documents_skipped"]) == (3, 1)
    assert counts["relations"] >= 2
    assert first["link"] == f"/graphrag/snapshots/{first['current'].strip()}"


def test_a_task_does_several_shards_where_there_are_more_than_tasks(
    seen: dict[str, Any], store: Path
) -> None:
    first = seen["runs"][0]
    assert first["mapped"] == 2
    manifest = store / "snapshots" / first["current"].strip() / "manifest.json"
    stages = json.loads(manifest.read_text())["stats"]["stages"]
    assert {one["stage"]: one["tasks"] for one in stages}["extract"] == 3


def test_a_run_with_nothing_to_do_publishes_nothing_and_succeeds(seen: dict[str, Any]) -> None:
    first, second, _ = seen["runs"]
    assert second["state"] == "success"
    assert second["tasks"]["shard.parse"] == "skipped"
    assert second["tasks"]["publish"] == "skipped"
    assert second["current"] == first["current"]
    assert not second["link"]


def test_a_missing_source_fails_the_run_and_changes_nothing(seen: dict[str, Any]) -> None:
    first, _, third = seen["runs"]
    assert third["state"] == "failed"
    assert third["tasks"]["plan"] == "failed"
    assert third["current"] == first["current"]


def test_the_note_of_a_run_says_how_it_ended(seen: dict[str, Any], store: Path) -> None:
    published, nothing, failed = (run["note"] for run in seen["runs"])
    current = seen["runs"][0]["current"].strip()
    assert published.startswith(
        "Published: 3 added, 0 changed, 0 removed, 0 unchanged, 3 documents"
    )
    assert published.endswith(f" Snapshot {current}.")
    assert nothing == f"Nothing changed: snapshot {current} is current already"
    assert failed.startswith("plan failed: ")
    assert f"{store.parent}/un!\\[mounted\\]&lt;img src=x&gt;: the source does" in failed


def test_a_note_that_a_user_wrote_stays(seen: dict[str, Any]) -> None:
    assert seen["written by hand"] == "Mounted again"


def test_a_deadline_can_be_set_and_is_told_of(seen: dict[str, Any]) -> None:
    assert seen["deadlines"] == [5400]
    assert seen["alerted"] == ["running", "success"]
    (alert,) = seen["alert"]
    assert alert.startswith("graphrag_reindex: the run of tonight is late")


def test_the_nightly_run_goes_first_and_shards_one_after_the_other(seen: dict[str, Any]) -> None:
    assert seen["weights"] == {
        "graphrag_reindex": [["absolute", 2]],
        "graphrag_maintenance": [["absolute", 1]],
        "graphrag_evaluate": [["absolute", 1]],
    }


def test_maintenance_tidies_up_and_verifies(seen: dict[str, Any]) -> None:
    found = seen["maintained"]
    assert (found["state"], set(found["tasks"])) == ("success", {"gc", "verify"})
    assert found["returned"]["gc"]["snapshots"] == []
    assert found["returned"]["verify"] == [seen["runs"][0]["current"].strip()]


def test_evaluation_asks_the_users_questions(seen: dict[str, Any], store: Path) -> None:
    found = seen["evaluated"]["returned"]["evaluate"]
    assert found["metrics"]["dense"]["recall@5"] == 1.0
    tables = store / "evaluations" / found["snapshot_id"] / "results.md"
    assert "recall@5" in tables.read_text().lower()


def test_without_questions_evaluation_is_skipped(seen: dict[str, Any]) -> None:
    assert seen["not evaluated"]["tasks"] == {"evaluate": "skipped"}
