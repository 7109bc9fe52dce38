"""A store in S3: the whole run, what a local one publishes; two runs at once; readers."""

import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.config import Config, load_config
from graphrag_tasks.core.errors import ConfigError, SnapshotError, TransientError
from graphrag_tasks.operations.retention import collect_garbage, rollback
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.retrieval import open_index
from graphrag_tasks.storage import locks
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.locks import sole_run
from graphrag_tasks.storage.snapshots.store import Store, mirrored
from tests.services.processes import ROOT, wait_for

pytestmark = pytest.mark.services

TEXTS = {
    "tables.md": "# Table changes\n\nSAP replaced the table VBBS with the table VBBE.\n",
    "reports.md": "# Reports\n\nThe report ZSALES reads the table VBBS.\n",
    "note.txt": "The check finds obsolete tables in custom code.\n",
}
KILLED_AFTER = ("parse.receipt.json", "extract.receipt.json", "relationships.receipt.json")


def configure(store: str, source: str, **overrides: Any) -> Config:
    base = {"store": store, "sources": [source], "load": {"vector_store": "none"}}
    return load_config(overrides=base | overrides, environ={})


@pytest.fixture
def documents(s3: str, tmp_path: Path) -> tuple[str, str]:
    """The same documents in S3 and in a folder."""
    for root in (Folder(f"{s3}/docs"), Folder(tmp_path / "docs")):
        for name, text in TEXTS.items():
            root.write_bytes(name, text.encode())
    return f"{s3}/docs", str(tmp_path / "docs")


def test_a_run_in_s3_publishes_what_a_local_run_does(
    s3: str, documents: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote, local = documents
    stores = (f"{s3}/store", str(tmp_path / "store"))
    configs = [configure(*pair) for pair in zip(stores, documents, strict=True)]
    first, other = (run_index(config, workers=1) for config in configs)
    assert first.manifest.tables == other.manifest.tables
    assert first.manifest.snapshot_id == other.manifest.snapshot_id
    assert not run_index(configs[0], workers=1).changed

    for folder in (Folder(remote), Folder(local)):
        folder.write_bytes("more.md", b"The program RSVBBE01 fills the table VBBE.\n")
    second, other = (run_index(config, workers=1) for config in configs)
    assert second.manifest.tables == other.manifest.tables
    assert second.manifest.stats["by_stage"]["plan"]["unchanged"] == len(TEXTS)

    store = Store(stores[0])
    store.open().verify()
    assert store.staging.names() == []
    monkeypatch.setenv("GRAPHRAG_CACHE", str(tmp_path / "cache"))
    question = "What replaced the table VBBS?"
    answers = [open_index(one).search(question, mode="hybrid") for one in stores]
    assert [hit.text for hit in answers[0].chunks] == [hit.text for hit in answers[1].chunks]
    assert answers[0].snapshot_id == second.manifest.snapshot_id

    assert rollback(store).after == first.manifest.snapshot_id
    removed = collect_garbage(store, keep=0, staging_age=timedelta(1))
    assert removed.snapshots == (second.manifest.snapshot_id,)
    assert removed.freed_bytes > 0
    assert store.snapshot_ids() == [first.manifest.snapshot_id]


def test_readers_map_a_copy_that_is_whole(
    s3: str, documents: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHRAG_CACHE", str(tmp_path / "cache"))
    run_index(configure(f"{s3}/store", documents[0]), workers=1)
    snapshot = Store(f"{s3}/store").open()
    snapshot.folder.write_bytes("titles.parquet", b"flipped")
    with pytest.raises(SnapshotError, match=r"titles\.parquet: bytes are not those published"):
        mirrored(snapshot)
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.parametrize("receipt", KILLED_AFTER)
def test_a_killed_run_leaves_current_alone_and_the_next_one_completes(
    s3: str, documents: tuple[str, str], receipt: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "CLOCK_SECONDS", -locks.LEASE_SECONDS)  # no wait for the killed
    config = configure(f"{s3}/store", documents[0])
    first = run_index(config, workers=1).manifest.snapshot_id
    Folder(documents[0]).write_bytes("more.md", b"The program RSVBBE01 fills the table VBBE.\n")
    store = Store(config.store)
    run = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "graphrag_tasks", "index", documents[0], "--store", config.store,
         "--workers", "1"],
        env=os.environ | {"PYTHONPATH": str(ROOT), "GRAPHRAG__LOAD__VECTOR_STORE": "none"},
        stdout=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip

    def reached() -> bool:
        staged = Folder(f"{config.store}/staging")
        fs, path = staged._target
        return any(str(name).endswith(receipt) for name in fs.find(path))

    wait_for(reached, 300, receipt)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    assert store.current_id() == first
    store.open().verify()
    second = run_index(config, workers=1)
    assert second.changed
    clean = run_index(configure(f"{s3}/clean", documents[0]), workers=1)
    assert second.manifest.tables == clean.manifest.tables


def test_a_pointer_that_another_run_flipped_stays(s3: str) -> None:
    store = Store(f"{s3}/store")
    first, second, third = ("1" * 24, "2" * 24, "3" * 24)
    store.set_current(first, instead_of=None)
    store.set_current(second, instead_of=first)
    with pytest.raises(SnapshotError, match=f"{second} was published meanwhile, instead of {first}"):
        store.set_current(third, instead_of=first)
    assert store.current_id() == second
    store.set_current(second, instead_of=first)


def test_one_run_holds_a_store_and_may_enter_again(s3: str) -> None:
    store = Folder(f"{s3}/store")
    with sole_run(store), sole_run(store):
        refused = in_another_process(s3)
        assert f"process {os.getpid()} on" in refused
    assert in_another_process(s3) == "held"


def in_another_process(s3: str) -> str:
    """Try to hold the store there; say how that ended."""
    script = (
        "import sys; from graphrag_tasks.storage.artifacts import Folder\n"
        "from graphrag_tasks.storage.locks import sole_run\n"
        "with sole_run(Folder(sys.argv[1])): print('held')"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", script, f"{s3}/store"],
        env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout.strip() or done.stderr


def test_the_lease_of_a_killed_run_lapses(s3: str) -> None:
    store = Folder(f"{s3}/store")
    soon = datetime.now(UTC) + timedelta(seconds=60)
    store.write_json(locks.LEASE_FILE, {"holder": "process 1 on h", "until": soon.isoformat()})
    with pytest.raises(TransientError, match="process 1 on h"), sole_run(store):
        pass
    ago = datetime.now(UTC) - timedelta(seconds=60)
    store.write_json(locks.LEASE_FILE, {"holder": "process 1 on h", "until": ago.isoformat()})
    with sole_run(store):
        assert str(os.getpid()) in json.loads(store.read_bytes(locks.LEASE_FILE))["holder"]


def test_a_lease_is_renewed_and_a_lost_one_noticed(
    s3: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(locks, "_RENEW_SECONDS", 0.2)
    store = Folder(f"{s3}/store")

    def until() -> Any:
        return store.read_json(locks.LEASE_FILE)["until"]

    with sole_run(store):
        first = until()
        wait_for(lambda: until() != first, 20, "renewal")
        store.write_json(locks.LEASE_FILE, {"holder": "another", "until": first})
        wait_for(lambda: "another process took the lease" in caplog.text, 20, "notice")
        with pytest.raises(TransientError, match="another process"), sole_run(store):
            pass
    assert store.read_json(locks.LEASE_FILE)["holder"] == "another"


def test_milvus_lite_is_refused_before_any_work(s3: str, documents: tuple[str, str]) -> None:
    config = configure(f"{s3}/store", documents[0], load={"vector_store": "milvus_lite"})
    with pytest.raises(ConfigError, match="needs a store on the local disk"):
        run_index(config, workers=1)
    assert Folder(f"{s3}/store").names() == []
