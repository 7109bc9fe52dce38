"""Kill -9 at any moment: the published snapshot stays as it was, and the next run completes.

Moments are fractions of the time that the work takes, from seeded lists: where exactly a process dies differs from
machine to machine, what holds afterwards must not.
"""

import hashlib
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from graphrag_tasks.retrieval import open_index
from graphrag_tasks.storage.snapshots.store import Store
from tests.e2e.programs import children, start, wait_for
from tests.e2e.warm_runs import Values, check_served, finish, index, kill_after, process_until, publish
from tests.sizes import few_or_many


@dataclass(frozen=True)
class World:
    """A published store, a corpus that changed since, and what a clean build makes of it.

    Attributes:
        base: The store as it was published; tests work on copies.
        settings: Of runs on the changed corpus.
        clean: Hash of every table of a clean build of the changed corpus.
        seconds: What that build takes.
    """

    base: Path
    settings: Values
    clean: dict[str, str]
    seconds: float

    def copy(self, place: Path) -> Values:
        """Copy the store, and return the settings of runs on the copy."""
        shutil.copytree(self.base, place)
        return self.settings | {"store": str(place)}


def write_documents(corpus: Path) -> None:
    corpus.mkdir()
    for number in range(6):
        (corpus / f"{number}.txt").write_text(
            f"The report ZSALES{number} reads the table VBB{number}. SAP replaced the table "
            f"VBB{number} with the table VBBE. The transaction MD0{number} shows the stock.\n"
        )


def change_documents(corpus: Path) -> None:
    (corpus / "0.txt").unlink()
    (corpus / "1.txt").rename(corpus / "renamed.txt")
    (corpus / "2.txt").write_text("The report ZSALES2 reads the table MARD.\n")
    (corpus / "new.txt").write_text("The transaction MD04 shows the requirements.\n")


def hashes(store: Path) -> dict[str, str]:
    """Return the hash of every table of the current snapshot, whose files have them."""
    current = Store(str(store)).open()
    current.verify()
    return {name: table.sha256 for name, table in current.manifest.tables.items()}


def bytes_of(folder: Path) -> dict[str, str]:
    """Return the hash of every file below a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("world")
    corpus, base = folder / "corpus", folder / "store"
    settings = {
        "sources": [str(corpus)], "store": str(base), "plan": {"shard_bytes": 100},
        "load": {"vector_store": "none"}, "embed": {"threads": 1},
    }  # fmt: skip
    write_documents(corpus)
    finish(index, settings)
    change_documents(corpus)
    seconds = finish(index, settings | {"store": str(folder / "clean")})
    return World(base, settings, hashes(folder / "clean"), seconds)


def check_published(world: World, store: Path) -> None:
    """Check that the snapshot from before is there to the byte, and that the store answers."""
    before = Store(str(world.base)).open().snapshot_id
    published = Path("snapshots") / before
    assert bytes_of(store / published) == bytes_of(world.base / published)
    context = open_index(store).search("Which table replaced VBB5?", mode="hybrid")
    assert any("VBBE" in hit.text for hit in context.chunks)
    Store(str(store)).open().verify()


@few_or_many("moments", 2, 14)
def test_a_run_that_is_killed_loses_nothing(world: World, tmp_path: Path, moments: int) -> None:
    chosen = random.Random(3)  # its first moments are early ones
    killed = 0
    for number in range(moments):
        store = tmp_path / str(number)
        settings = world.copy(store)
        for _ in range(1 + number % 2):  # every other time the next run is killed, too
            killed += kill_after(chosen.uniform(0, world.seconds), index, settings)
            check_published(world, store)
        finish(index, settings)
        assert hashes(store) == world.clean
        shutil.rmtree(store)
    assert killed  # or nothing was tried: each run was quicker than its moment


@pytest.mark.slow
def test_publish_can_be_killed_before_each_change_on_disk(world: World, tmp_path: Path) -> None:
    staged = tmp_path / "staged"
    finish(process_until, world.copy(staged), "load")
    for change in itertools.count(1):
        store = tmp_path / str(change)
        shutil.copytree(staged, store)
        settings = world.settings | {"store": str(store)}
        killed = kill_after(60, publish, settings, change)
        check_published(world, store)
        finish(index, settings)
        assert hashes(store) == world.clean
        shutil.rmtree(store)
        if not killed:
            break
    assert change > 10


@few_or_many("moments", 1, 8)
def test_a_load_that_is_killed_is_completed(world: World, tmp_path: Path, moments: int) -> None:
    chosen = random.Random(moments)
    served = {"load": {"vector_store": "milvus_lite"}}
    staged, whole = tmp_path / "staged", tmp_path / "whole"
    finish(process_until, world.copy(staged) | served, "embed")
    shutil.copytree(staged, whole)
    seconds = finish(process_until, world.settings | served | {"store": str(whole)}, "load")
    killed = 0
    for number in range(moments):
        store = tmp_path / str(number)
        shutil.copytree(staged, store)
        settings = world.settings | served | {"store": str(store)}
        killed += kill_after(chosen.uniform(0, seconds), process_until, settings, "load")
        check_published(world, store)
        finish(index, settings)
        assert hashes(store) == world.clean
        finish(check_served, settings)
        shutil.rmtree(store)
    assert killed or moments == 1


def start_with_workers(settings: Values) -> tuple[subprocess.Popen[str], int]:
    """Start a run with two workers, and return it with the process id of one of them."""
    run = start([sys.executable, "-m", "graphrag_tasks", "index", "--workers", "2"], settings)
    return run, wait_for(lambda: children(run.pid, "spawn_main"))[0]


@pytest.fixture(scope="module")
def worker_seconds(world: World, tmp_path_factory: pytest.TempPathFactory) -> float:
    """How long a worker lives in a run that is left alone."""
    run, worker = start_with_workers(world.copy(tmp_path_factory.mktemp("alone") / "store"))
    began = time.monotonic()
    wait_for(lambda: not Path(f"/proc/{worker}").exists())
    lived = time.monotonic() - began
    run.communicate(timeout=120)
    return lived


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_worker_that_is_killed_ends_the_run_and_the_next_one_completes(
    world: World, tmp_path: Path, worker_seconds: float, seed: int
) -> None:
    settings = world.copy(tmp_path / "store")
    run, worker = start_with_workers(settings)
    time.sleep(random.Random(seed).uniform(0, 0.8 * worker_seconds))
    os.kill(worker, signal.SIGKILL)
    _, told = run.communicate(timeout=120)
    if run.returncode:
        assert "a worker process was killed" in told
    check_published(world, tmp_path / "store")
    finish(index, settings)
    assert hashes(tmp_path / "store") == world.clean


@pytest.mark.slow
def test_the_process_of_a_dag_run_can_be_killed(world: World, tmp_path: Path) -> None:
    chosen = random.Random(4)
    home = {"AIRFLOW_HOME": str(tmp_path / "airflow")}
    airflow = [sys.executable, "-m", "airflow"]
    start([*airflow, "db", "migrate"], {}, home).communicate(timeout=120)
    for number in range(4):
        store = tmp_path / str(number)
        settings = world.copy(store)
        run = start([*airflow, "dags", "test", "graphrag_reindex"], settings, home)
        wait_for(lambda store=store: list(store.glob("staging/runs/*/run.json")))
        time.sleep(chosen.uniform(0, 15))
        killed = run.poll() is None
        run.kill()
        run.communicate()
        assert killed
        check_published(world, store)
        finish(index, settings)
        assert hashes(store) == world.clean
