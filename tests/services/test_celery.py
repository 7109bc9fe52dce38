"""graphrag_reindex on Airflow with CeleryExecutor, PostgreSQL and Redis, by two workers."""

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphrag_tasks.core.config import load_config
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.storage.snapshots.store import Manifest, Store
from tests.llm.batches import BatchScript
from tests.llm.endpoint import ScriptedEndpoint, scripted
from tests.services.airflow_service import WORKERS, Deployment
from tests.services.processes import wait_for

pytestmark = pytest.mark.services

SHARDS, FEW_SHARDS = 16, 4
RUN_SECONDS = 1500
KILL_SECONDS = 600
SETTINGS = {
    "GRAPHRAG__LOAD__VECTOR_STORE": "none",
    "GRAPHRAG__PLAN__SHARD_BYTES": "1",  # each document is a shard
    "GRAPHRAG_AIRFLOW_POOL": "graphrag_shards",
    "GRAPHRAG_AIRFLOW_LLM_POOL": "graphrag_llm",
    "GRAPHRAG_AIRFLOW_DEADLINE_HOURS": "0.001",  # every run is late
    "GRAPHRAG__LLM__MODEL": "m",
    "GRAPHRAG__LLM__PRICES": '{"m": {"input": 1, "output": 2}}',
    "GRAPHRAG__LLM__BATCH": "auto",
    "GRAPHRAG__LLM__BUDGET__APPROVE_ABOVE_USD": "0.000001",
}
OF_MODELS = {"price", "approve", "approved", "batches", "ask", "adopt"}


def write_notes(folder: Path, count: int) -> str:
    """Write short documents of one size, each of which becomes a shard; return their folder."""
    folder.mkdir()
    for number in range(10, 10 + count):
        (folder / f"note-{number}.md").write_text(
            f"# Note {number}\n\nThe report ZREP{number} reads the table ZTAB{number}. "
            f"SAP replaced the table ZTAB{number} with the table ZNEW{number}.\n"
        )
    return str(folder)


def indexed(source: str, store: Path) -> Manifest:
    """Publish documents as `graphrag-tasks index` does."""
    overrides = {"store": str(store), "sources": [source]}
    return run_index(load_config(overrides=overrides, environ=SETTINGS), workers=1).manifest


@pytest.fixture(scope="module")
def endpoint() -> Iterator[ScriptedEndpoint]:
    with scripted(batch=BatchScript(looks=2)) as started:
        yield started


@pytest.fixture(scope="module")
def airflow(endpoint: ScriptedEndpoint) -> Iterator[Deployment]:
    folder = Path(tempfile.mkdtemp(prefix="graphrag-services-"))
    folder.chmod(0o711)
    deployment = Deployment(folder, {**SETTINGS, "GRAPHRAG__LLM__BASE_URL": endpoint.url})
    try:
        deployment.start()
        yield deployment
    finally:
        deployment.stop()
        if "GRAPHRAG_KEEP_LOGS" not in os.environ:
            shutil.rmtree(folder)


def finished(airflow: Deployment, run_id: str) -> str:
    """Return how a run ended."""
    ends = ("success", "failed")
    return str(
        wait_for(
            lambda: next((end for end in ends if airflow.state(run_id) == end), None), RUN_SECONDS, f"end of {run_id}"
        )
    )


def test_two_workers_publish_what_the_command_line_publishes(airflow: Deployment, tmp_path: Path) -> None:
    source, store = write_notes(tmp_path / "notes", SHARDS), str(tmp_path / "store")
    airflow.trigger("both", {"sources": [source], "store": store})
    expected = indexed(source, tmp_path / "expected")
    assert finished(airflow, "both") == "success", airflow.tasks("both")
    tasks = airflow.tasks("both")
    states = {(task_id, state) for task_id, _, state, _, _ in tasks}
    assert {state for task_id, state in states if task_id not in OF_MODELS} == {"success"}
    without = {"success": {"price", "batches", "ask", "adopt"}, "skipped": {"approve", "approved"}}
    for state, names in without.items():
        assert {name for name, found in states if name in OF_MODELS and found == state} == names
    mapped = Counter(task_id for task_id, index, *_ in tasks if index >= 0)
    assert mapped.pop("embed_parts") == load_config(environ={}).plan.parts
    assert mapped.pop("adopt") == 1  # with nothing to do
    assert set(mapped.values()) == {SHARDS}
    extracted_by = {host for task_id, _, _, host, _ in tasks if task_id == "shard.extract"}
    assert extracted_by == set(WORKERS)
    published = Store(store).open()
    published.verify()
    assert published.manifest.tables == expected.tables
    assert published.snapshot_id == expected.snapshot_id
    said = f"Snapshot {published.snapshot_id} published: {SHARDS} added, "
    assert airflow.note("both").startswith(said)
    assert "the run both is late" in airflow.alerts()
    wait_for(lambda: "success" in airflow.states("graphrag_evaluate"), RUN_SECONDS, "evaluation")


def test_a_worker_killed_within_a_shard_changes_nothing(airflow: Deployment, tmp_path: Path) -> None:
    source, store = write_notes(tmp_path / "notes", FEW_SHARDS), str(tmp_path / "store")
    airflow.trigger("killed", {"sources": [source], "store": store})
    worker, shard = wait_for(lambda: extracting(airflow, "killed"), KILL_SECONDS, "shard at work")
    airflow.kill_worker(worker)
    assert Store(store).current_id() is None
    assert finished(airflow, "killed") == "success", airflow.tasks("killed")
    tries = {
        index: (host, number)
        for task_id, index, _, host, number in airflow.tasks("killed")
        if task_id == "shard.extract"
    }
    host, number = tries[shard]
    assert host != worker
    assert number > 1
    published = Store(store).open()
    published.verify()
    assert published.snapshot_id == indexed(source, tmp_path / "expected").snapshot_id


def test_a_person_approves_and_few_requests_are_asked_without_a_batch(
    airflow: Deployment, endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    source, store = write_notes(tmp_path / "notes", FEW_SHARDS), str(tmp_path / "store")
    params = {"sources": [source], "store": store, "extractor": "llm"}
    airflow.trigger("read", params)
    wait_for(lambda: task_is(airflow, "read", "approve", "awaiting_input"), RUN_SECONDS, "approval")
    assert not endpoint.requests
    asked = airflow.answer("read", "approve", "Approve")
    assert asked["subject"].startswith("Spend about 0.00 USD on 4 requests to m?")
    assert "| tokens of prompts |" in asked["body"]
    assert finished(airflow, "read") == "success", airflow.tasks("read")
    assert (endpoint.requests, len(endpoint.batch.paid)) == (FEW_SHARDS, 0)
    assert f"LLM read {FEW_SHARDS} of {FEW_SHARDS} windows" in airflow.note("read")
    tasks = airflow.tasks("read")
    of_model = {task_id: state for task_id, _, state, _, _ in tasks if task_id in OF_MODELS}
    assert of_model == dict.fromkeys(OF_MODELS, "success")
    per_shard = {task_id for task_id, index, *_ in tasks if index >= 0} - {"embed_parts"}
    assert len(per_shard) == 5


def test_what_a_person_rejects_is_not_spent(airflow: Deployment, endpoint: ScriptedEndpoint, tmp_path: Path) -> None:
    source, store = write_notes(tmp_path / "notes", FEW_SHARDS), str(tmp_path / "store")
    before = endpoint.requests
    airflow.trigger("refused", {"sources": [source], "store": store, "extractor": "llm"})
    wait_for(lambda: task_is(airflow, "refused", "approve", "awaiting_input"), RUN_SECONDS, "approval")
    airflow.answer("refused", "approve", "Reject")
    assert finished(airflow, "refused") == "failed"
    assert task_is(airflow, "refused", "ask", "failed")
    assert "not approved" in airflow.note("refused")
    assert endpoint.requests == before
    assert Store(store).current_id() is None


def task_is(airflow: Deployment, run_id: str, task_id: str, state: str) -> bool:
    """Return whether a task of a run is in a state."""
    return any(one[0] == task_id and one[2] == state for one in airflow.tasks(run_id))


def extracting(airflow: Deployment, run_id: str) -> tuple[str, int] | None:
    """Return the host and index of a shard that is extracted just now."""
    return next(
        (
            (host, index)
            for task_id, index, state, host, _ in airflow.tasks(run_id)
            if task_id == "shard.extract" and state == "running" and host
        ),
        None,
    )
