"""Going back to an older snapshot, and removing those that are no longer kept."""

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import pytest

from graphrag_tasks.core.errors import SnapshotError
from graphrag_tasks.embed.vectors.vector_store import VectorStore, row_key
from graphrag_tasks.operations.retention import collect_garbage, rollback, verify_all
from graphrag_tasks.storage.snapshots.store import MANIFEST_FILE, Store
from tests.storage.snapshots.makers import published, staged

DAYS = timedelta(days=7)


def age(folder: Path) -> None:
    """Make files look as if they had been written eight days ago."""
    long_ago = time.time() - 8 * 24 * 3600
    for file in folder.rglob("*"):
        os.utime(file, (long_ago, long_ago))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Four snapshots, the last one current."""
    made = Store(str(tmp_path / "store"))
    for number in range(4):
        published(made, f"{number}", now=datetime(2026, 1, 1 + number, tzinfo=UTC))
    return made


def test_rollback_goes_one_back_or_to_the_one_named(store: Store) -> None:
    ids = store.snapshot_ids()
    assert rollback(store).after == ids[2] == store.current_id()
    assert rollback(store, ids[0]).before == ids[2]
    assert store.current_id() == ids[0]
    with pytest.raises(SnapshotError, match="no older snapshot is kept"):
        rollback(store)
    with pytest.raises(SnapshotError, match=f"no snapshot elsewhere.*{ids[0]}"):
        rollback(store, "elsewhere")


def test_rollback_refuses_a_damaged_snapshot(store: Store) -> None:
    current, target = store.current_id(), store.snapshot_ids()[2]
    file = Path(store.snapshot_folder(target).path("chunks.parquet"))
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(SnapshotError, match=r"chunks\.parquet: bytes are not those published"):
        rollback(store)
    assert store.current_id() == current


def test_what_a_killed_collection_left_is_removed_once_it_is_old(store: Store) -> None:
    oldest, second, *kept = store.snapshot_ids()
    for half_removed in (oldest, second):
        store.snapshot_folder(half_removed).delete(MANIFEST_FILE)
    age(Path(store.snapshot_folder(oldest).path()))
    assert verify_all(store) == kept
    removed = collect_garbage(store, keep=9, staging_age=DAYS)
    assert (removed.snapshots, removed.staging) == ((), (f"snapshots/{oldest}",))
    assert set((store.folder / "snapshots").names()) == {second, *kept}


def test_every_damaged_snapshot_is_named(store: Store) -> None:
    ids = store.snapshot_ids()
    assert verify_all(store) == ids
    for damaged in ids[1:3]:
        file = Path(store.snapshot_folder(damaged).path("graph/nodes.arrow"))
        file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(SnapshotError, match=f"2 of 4 snapshots.*{ids[1]}.*{ids[2]}"):
        verify_all(store)


def test_the_newest_are_kept_beside_the_current_one(store: Store) -> None:
    ids = store.snapshot_ids()
    rollback(store, ids[0])
    removed = collect_garbage(store, keep=1, staging_age=DAYS)
    assert removed.snapshots == tuple(ids[1:3])
    assert removed.freed_bytes > 0
    assert store.snapshot_ids() == [ids[0], ids[3]]
    store.open().verify()


def test_what_killed_writers_left_is_removed_once_it_is_old(store: Store) -> None:
    left = Path(store.folder.path("ontology")) / "approved.json.writing"
    left.parent.mkdir()
    left.write_text("{")
    collect_garbage(store, keep=9, staging_age=DAYS)
    assert left.exists()  # perhaps somebody writes it now
    age(left.parent)
    collect_garbage(store, keep=9, staging_age=DAYS)
    assert not left.exists()


def test_work_of_killed_runs_is_given_up_when_it_is_old(store: Store) -> None:
    staged(store, "old")
    staged(store, "new")
    age(Path(store.staging.path("runs/run-old")))
    removed = collect_garbage(store, keep=9, staging_age=DAYS)
    assert removed.staging == ("runs/run-old",)
    assert (store.staging / "runs").names() == ["run-new"]


class Rows:
    """A vector server that remembers which keys it was asked to keep."""

    def __init__(self) -> None:
        self.kept: dict[str, list[str]] = {}

    def remove_others(self, collection: str, kept: Callable[[str], bool]) -> int:
        keys = [row_key(f"id-{name}", name) for name in "abcd"]
        self.kept[collection] = [name for name, key in zip("abcd", keys, strict=True) if kept(key)]
        return 4 - len(self.kept[collection])


def test_vectors_that_only_old_snapshots_name_go_with_them(tmp_path: Path) -> None:
    store, rows = Store(str(tmp_path)), Rows()
    for number, names in enumerate(("ab", "bc", "cd")):
        published(
            store, f"{number}", now=datetime(2026, 1, 1 + number, tzinfo=UTC), vectors=names,
            collections={"chunk_vectors": "chunk_x", "entity_vectors": f"entity_{number}"},
        )  # fmt: skip
    removed = collect_garbage(store, keep=1, staging_age=DAYS, server=cast("VectorStore", rows))
    assert rows.kept["chunk_x"] == ["b", "c", "d"]
    assert rows.kept["entity_0"] == []
    assert removed.vectors == 1 + 4 + 2 + 2


def test_vectors_that_a_run_has_loaded_and_not_published_yet_stay(tmp_path: Path) -> None:
    store, rows = Store(str(tmp_path)), Rows()
    published(store, "one", now=datetime(2026, 1, 1, tzinfo=UTC), vectors="a", collections={"chunk_vectors": "chunk_x"})
    staged(store, "going-on", vectors="b")
    staged(store, "given-up", vectors="c")
    age(Path(store.staging.path("runs/run-given-up")))
    collect_garbage(store, keep=0, staging_age=DAYS, server=cast("VectorStore", rows))
    assert rows.kept["chunk_x"] == ["a", "b"]


def test_a_store_elsewhere_is_tidied_too() -> None:
    store = Store("memory://tidied")
    published(store, "a", now=datetime(2026, 1, 1, tzinfo=UTC))
    published(store, "b", now=datetime(2026, 1, 2, tzinfo=UTC))
    removed = collect_garbage(store, keep=0, staging_age=DAYS)
    assert len(removed.snapshots) == 1
    assert removed.freed_bytes > 0
    store.open().verify()


def test_a_current_snapshot_that_cannot_be_read_can_be_left(store: Store) -> None:
    ids = store.snapshot_ids()
    Path(store.snapshot_folder(ids[-1]).path(MANIFEST_FILE)).write_text("{")
    with pytest.raises(SnapshotError, match=f"1 of 4 snapshots.*{ids[-1]}"):
        verify_all(store)
    assert rollback(store).after == ids[-2]
    assert store.open().snapshot_id == ids[-2]
