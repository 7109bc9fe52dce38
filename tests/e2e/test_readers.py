"""Readers while snapshots are published and removed: one version at a time, and no error."""

import re
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import SnapshotError
from graphrag_tasks.embed.local import LocalEmbedder
from graphrag_tasks.operations.retention import collect_garbage
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.pipeline import Published
from graphrag_tasks.retrieval import Index, open_index
from graphrag_tasks.storage.snapshots.publish import publish, time_of_publish
from graphrag_tasks.storage.snapshots.store import Snapshot, Store
from tests.e2e.warm_runs import server
from tests.sizes import few_or_many

Indexer = Callable[..., Published]

VERSIONS = 2
VERSION = re.compile(r"VERSION(\d+)")
DAY = timedelta(days=1)


def read_until(begun: Event, stopped: Event, store: str, threads: int, found: "Queue[Counter[str]]") -> None:
    """Open the store and ask, again and again, in threads; count what was seen."""
    embedder = LocalEmbedder(threads=1)

    def read_on(_: int) -> Counter[str]:
        seen = Counter[str]()
        while not stopped.is_set():
            seen[read(open_index(store, embedder=embedder))] += 1
            begun.set()
        return seen

    with ThreadPoolExecutor(threads) as pool:
        found.put(sum(pool.map(read_on, range(threads)), Counter[str]()))


def read(index: Index) -> str:
    """Return which version all that an index finds is of, or that it was removed meanwhile."""
    try:
        hybrid = index.search("Which table was replaced?", mode="hybrid", k=8)
        paper = index.search("What replaced VBB1?", mode="paper", k=8)
        texts = [hit.text for one in (hybrid, paper) for hit in (*one.chunks, *one.relations)]
        texts += [row["name"] for row in index.snapshot.table("entities").to_pylist()]
    except SnapshotError as error:
        if "removed since it was opened" not in str(error):
            raise
        return "removed"
    versions = set(VERSION.findall(" ".join(texts)))
    assert len(versions) == 1, f"versions {versions} in one index"
    return f"version {versions.pop()}"


@contextmanager
def readers(store: Store, processes: int, threads: int) -> Iterator[Counter[str]]:
    """Have readers read while the block runs; what they saw is known when it has ended."""
    context, seen = server(), Counter[str]()
    begun, stopped, found = context.Event(), context.Event(), context.Queue()
    arguments = (begun, stopped, store.folder.uri, threads, found)
    running = [context.Process(target=read_until, args=arguments) for _ in range(processes)]
    for process in running:
        process.start()
    try:
        assert begun.wait(120)
        yield seen
    finally:
        stopped.set()
        for process in running:
            process.join()
    assert [process.exitcode for process in running] == [0] * processes
    for _ in running:
        seen.update(found.get(timeout=10))


def write_version(corpus: Path, version: int) -> None:
    """Write documents that have the number of their version in every sentence."""
    for file in corpus.iterdir():
        file.unlink()
    for number in range(6):
        (corpus / f"{number}.txt").write_text(f"SAP replaced the table VBB{number} with the table VERSION{version}.\n")


@pytest.fixture
def built(index: Indexer, corpus: Path, tmp_path: Path) -> list[Snapshot]:
    """A snapshot of each version, each in a store of its own."""
    snapshots = []
    for version in range(VERSIONS):
        write_version(corpus, version)
        store = tmp_path / f"built-{version}"
        index(store=str(store))
        snapshots.append(Store(str(store)).open())
    return snapshots


def publish_copy(store: Store, snapshot: Snapshot) -> None:
    """Publish what another store has, as a run does with what it staged."""
    staged = store.staging / "runs" / snapshot.snapshot_id / "snapshot"
    shutil.copytree(snapshot.folder.path(), staged.path())
    manifest = replace(snapshot.manifest, created_at=time_of_publish(store).isoformat())
    assert publish(store, staged, manifest)


@few_or_many("publishes", 5, 50)
def test_a_reader_sees_one_version_while_snapshots_are_published(
    built: list[Snapshot], tmp_path: Path, publishes: int
) -> None:
    store = Store(str(tmp_path / "store"))
    publish_copy(store, built[0])
    with readers(store, processes=1, threads=2) as seen:
        for number in range(1, publishes + 1):
            publish_copy(store, built[number % VERSIONS])
            collect_garbage(store, keep=0, staging_age=DAY)
            time.sleep(0.1)
    assert len({one for one in seen if one != "removed"}) > 1
    assert seen.total() > VERSIONS


@pytest.mark.slow
def test_twenty_readers_meet_no_error_while_runs_publish(
    configure: Callable[..., Config], corpus: Path, tmp_path: Path
) -> None:
    config, version = configure(), 0
    write_version(corpus, version)
    run_index(config, workers=1)
    store = Store(config.store)
    with readers(store, processes=2, threads=10) as seen:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            version += 1
            write_version(corpus, version)
            run_index(config, workers=1)
            collect_garbage(store, keep=1, staging_age=DAY)
    assert len({one for one in seen if one != "removed"}) > 1
    assert seen.total() > 20
