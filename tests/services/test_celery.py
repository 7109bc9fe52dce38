"""graphrag_reindex on Airflow with CeleryExecutor, PostgreSQL and Redis, by two workers."""

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from airflow_service import WORKERS, Deployment
from processes import wait_for

from graphrag_tasks.config import load_config
from graphrag_tasks.runner import run_index
from graphrag_tasks.snapshots import Manifest, Store

pytestmark = pytest.mark.services

SHARDS = 16
RUN_SECONDS = 1500
KILL_SECONDS = 600
SETTINGS = {
    "GRAPHRAG__LOAD__VECTOR_STORE": "none",
    # a limit of 2/32 of all bytes: each of 16 documents of one size is a shard
    "GRAPHRAG__PLAN__SHARD_BYTES": "1",
    "GRAPHRAG__PLAN__MAX_SHARDS": "32",
    "GRAPHRAG_AIRFLOW_POOL": "graphrag_shards",
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    for number in range(10, 10 + SHARDS):
        (folder / f"note-{number}.md").write_text(
            f"# Note {number}\n\nThe report ZREP{number} reads the table ZTAB{number}. "
            f"SAP replaced the table ZTAB{number} with the table ZNEW{number}.\n"
        )
    return folder


@pytest.fixture(scope="module")
def expected(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    """What `graphrag-tasks index` publishes of the same documents."""
    store = tmp_path_factory.mktemp("expected")
    overrides = {"store": str(store), "sources": [str(corpus)]}
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
    airflow: Deployment, corpus: Path, expected: Manifest, tmp_path: Path
) -> None:
    airflow.trigger("both", {"sources": [str(corpus)], "store": str(tmp_path)})
    assert finished(airflow, "both") == "success", airflow.tasks("both")
    tasks = airflow.tasks("both")
    assert {state for _, _, state, _, _ in tasks} == {"success"}
    shards = Counter(task_id for task_id, index, *_ in tasks if index >= 0)
    assert set(shards.values()) == {SHARDS}
    extracted_by = Counter(host for task_id, _, _, host, _ in tasks if task_id == "shard.extract")
    assert set(extracted_by) == set(WORKERS)
    published = Store(str(tmp_path)).open()
    published.verify()
    assert published.manifest.tables == expected.tables
    assert published.snapshot_id == expected.snapshot_id


def test_a_worker_killed_within_a_shard_changes_nothing(
    airflow: Deployment, corpus: Path, expected: Manifest, tmp_path: Path
) -> None:
    airflow.trigger("killed", {"sources": [str(corpus)], "store": str(tmp_path)})

    def extracting() -> tuple[str, int] | None:
        return next(
            (
                (host, index)
                for task_id, index, state, host, _ in airflow.tasks("killed")
                if task_id == "shard.extract" and state == "running" and host
            ),
            None,
        )

    worker, shard = wait_for(extracting, KILL_SECONDS, "shard at work")
    airflow.kill_worker(worker)
    assert Store(str(tmp_path)).current_id() is None
    assert finished(airflow, "killed") == "success", airflow.tasks("killed")
    (again,) = [
        (host, tries)
        for task_id, index, _, host, tries in airflow.tasks("killed")
        if (task_id, index) == ("shard.extract", shard)
    ]
    assert again[0] != worker
    assert again[1] > 1
    published = Store(str(tmp_path)).open()
    published.verify()
    assert published.snapshot_id == expected.snapshot_id
