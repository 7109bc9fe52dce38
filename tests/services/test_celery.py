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
from graphrag_tasks.snapshots.store import Manifest, Store
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
}


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
def airflow() -> Iterator[Deployment]:
    folder = Path(tempfile.mkdtemp(prefix="graphrag-services-"))
    folder.chmod(0o711)
    deployment = Deployment(folder, SETTINGS)
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
            lambda: next((end for end in ends if airflow.state(run_id) == end), None),
            RUN_SECONDS,
            f"end of {run_id}",
        )
    )


def test_two_workers_publish_what_the_command_line_publishes(
    airflow: Deployment, tmp_path: Path
) -> None:
    source, store = write_notes(tmp_path / "notes", SHARDS), str(tmp_path / "store")
    airflow.trigger("both", {"sources": [source], "store": store})
    expected = indexed(source, tmp_path / "expected")
    assert finished(airflow, "both") == "success", airflow.tasks("both")
    tasks = airflow.tasks("both")
    assert {state for _, _, state, _, _ in tasks} == {"success"}
    mapped = Counter(task_id for task_id, index, *_ in tasks if index >= 0)
    assert mapped.pop("embed_parts") == load_config(environ={}).plan.parts
    assert set(mapped.values()) == {SHARDS}
    extracted_by = {host for task_id, _, _, host, _ in tasks if task_id == "shard.extract"}
    assert extracted_by == set(WORKERS)
    published = Store(store).open()
    published.verify()
    assert published.manifest.tables == expected.tables
    assert published.snapshot_id == expected.snapshot_id
    assert airflow.note("both").startswith(f"Published: {SHARDS} added, ")
    assert "the run both is late" in airflow.alerts()
    wait_for(lambda: "success" in airflow.states("graphrag_evaluate"), RUN_SECONDS, "evaluation")


def test_a_worker_killed_within_a_shard_changes_nothing(
    airflow: Deployment, tmp_path: Path
) -> None:
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
