"""What the world does to a run: full and read-only disks, rivals, a vector server that is down."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import TransientError
from graphrag_tasks.operations.retention import collect_garbage
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.pipeline import Published, vectors
from graphrag_tasks.retrieval import open_index
from graphrag_tasks.storage.artifacts import Table
from graphrag_tasks.storage.snapshots.store import Store
from tests.corpora import configured
from tests.e2e.conftest import write_corpus
from tests.e2e.programs import wait_for
from tests.e2e.warm_runs import finish, index_with_small_files, server
from tests.e2e.warm_runs import index as warm_index

Indexer = Callable[..., Published]
DAY = timedelta(days=1)


def _slow(value: int) -> object:
    return pytest.param(value, marks=pytest.mark.slow)


def edit(corpus: Path) -> None:
    (corpus / "new.txt").write_text("The transaction MD04 shows the stock.\n")


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Table]:
    """The tables of a clean build of the edited corpus."""
    folder = tmp_path_factory.mktemp("clean")
    edit(write_corpus(folder / "corpus"))
    return run_index(configured(folder), workers=1).manifest.tables


def mount(place: Path, *arguments: str) -> bool:
    """Mount, or change what is mounted; return whether that is allowed."""
    program = shutil.which("mount")
    if program is None:
        return False
    done = subprocess.run([program, *arguments, place], capture_output=True, check=False)  # noqa: S603
    return done.returncode == 0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk, in memory."""
    place = tmp_path / "disk"
    place.mkdir()
    if not mount(place, "-t", "tmpfs", "-o", "size=16m", "tmpfs"):
        pytest.skip("no disk may be mounted here (needs root)")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)  # noqa: S603, S607


@pytest.mark.parametrize("room", [_slow(0), 50_000, _slow(200_000)])
def test_a_full_disk_ends_the_run_and_room_continues_it(
    index: Indexer, indexed: Published, corpus: Path, disk: Path, tmp_path: Path, clean: Mapping[str, Table], room: int
) -> None:
    store = Store(str(shutil.copytree(tmp_path / "store", disk / "store")))
    edit(corpus)
    free = os.statvfs(disk)
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(free.f_bavail * free.f_frsize - room))
    with pytest.raises(TransientError, match=r"No space left on device.*Make room"):
        index(store=store.folder.uri)
    store.open().verify()
    assert store.current_id() == indexed.manifest.snapshot_id
    collect_garbage(store, keep=0, staging_age=DAY)  # it makes room, so it may need none
    ballast.unlink()
    after = index(store=store.folder.uri).manifest
    assert after.tables == clean


@pytest.mark.parametrize("limit", [_slow(100), 3000, _slow(6000)])
def test_files_that_may_not_grow_end_the_run_too(
    index: Indexer, indexed: Published, configure: Callable[..., Config], corpus: Path,
    tmp_path: Path, clean: Mapping[str, Table], limit: int,
) -> None:  # fmt: skip
    edit(corpus)
    settings = configure().model_dump(mode="json")
    finish(index_with_small_files, settings, limit)
    store = Store(str(tmp_path / "store"))
    store.open().verify()
    assert store.current_id() == indexed.manifest.snapshot_id
    assert index().manifest.tables == clean


def test_a_read_only_store_can_be_read_and_refuses_a_run(
    index: Indexer, indexed: Published, corpus: Path, disk: Path, tmp_path: Path
) -> None:
    store = shutil.copytree(tmp_path / "store", disk / "store")
    edit(corpus)
    assert mount(disk, "-o", "remount,ro")
    with pytest.raises(TransientError, match=r"Read-only file system.*allow writing"):
        index(store=str(store))
    context = open_index(store).search("Which table replaced VBBS?", mode="hybrid")
    assert any("VBBE" in hit.text for hit in context.chunks)
    assert mount(disk, "-o", "remount,rw")
    assert index(store=str(store)).manifest.parent_id == indexed.manifest.snapshot_id


@pytest.mark.usefixtures("indexed")
def test_of_two_runs_at_once_one_is_refused_or_waits(
    index: Indexer, configure: Callable[..., Config], corpus: Path, tmp_path: Path
) -> None:
    config = configure(embed={"threads": 1})
    edit(corpus)
    first = server().Process(target=warm_index, args=(config.model_dump(mode="json"),))
    first.start()
    wait_for(lambda: f"process {first.pid} " in (tmp_path / "store" / ".lock").read_text())
    with pytest.raises(TransientError, match=f"another run works.*process {first.pid}.*--wait"):
        run_index(config, workers=1)
    (corpus / "another.txt").write_text("The report ZMM reads the table MARD.\n")
    last = run_index(config, workers=1, wait=True)
    first.join()
    assert first.exitcode == 0
    assert last.manifest.tables == index(store=str(tmp_path / "clean")).manifest.tables


@contextmanager
def milvus_server(folder: Path, port: int) -> Iterator[None]:
    """Serve Milvus on a port of loopback, by a process group of its own."""
    program = Path(sys.executable).with_name("milvus-lite")
    command = [program, "server", "--data-dir", folder, "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(  # noqa: S603
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        wait_for(lambda: listens(port))
        yield
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)


def listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def test_a_vector_server_that_is_down_ends_the_run_and_is_served_by_the_next(
    index: Indexer, indexed: Published, configure: Callable[..., Config], corpus: Path,
    tmp_path: Path, clean: Mapping[str, Table], caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    edit(corpus)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setattr("graphrag_tasks.embed.vectors.milvus._RETRY_SECONDS", 2)
    load = {"vector_store": "milvus", "milvus_uri": f"http://127.0.0.1:{port}"}
    with pytest.raises(TransientError, match=rf"127\.0\.0\.1:{port}.*Start the server"):
        index(load=load)
    assert "try 2 failed, another follows" in caplog.text
    assert Store(str(tmp_path / "store")).current_id() == indexed.manifest.snapshot_id
    with milvus_server(tmp_path / "milvus", port):
        after = index(load=load)
        published = Store(str(tmp_path / "store"))
        assert vectors.serve(configure(load=load), published.folder, published.open().folder) == 0
    counts = after.manifest.stats["counts"]
    assert counts["vectors_inserted"] == counts["vectors"] > 0
    assert after.manifest.tables == clean
