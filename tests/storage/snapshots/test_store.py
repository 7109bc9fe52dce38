"""The store: what is current, what is refused, and what a damaged file is told."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graphrag_tasks.core.errors import SnapshotError
from graphrag_tasks.operations.retention import collect_garbage, rollback
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.snapshots.publish import publish, time_of_publish
from graphrag_tasks.storage.snapshots.store import Snapshot, Store
from tests.storage.snapshots.makers import staged


def test_publishing_moves_the_snapshot_and_flips_the_pointer_last(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    folder, manifest = staged(store)
    assert publish(store, folder, manifest) is True
    assert store.current_id() == manifest.snapshot_id
    assert store.open().manifest == manifest
    store.open().verify()
    assert not folder.exists("chunks.parquet")


def test_content_that_is_current_is_not_published_again(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    publish(store, *staged(store))
    before = store.open().manifest
    assert publish(store, *staged(store, now=datetime.now(UTC) + timedelta(days=1))) is False
    assert store.open().manifest == before


def test_going_back_to_earlier_content_is_a_pointer_flip(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    _, first = staged(store)
    publish(store, *staged(store, "one"))
    publish(store, *staged(store, "two"))
    assert publish(store, *staged(store, "one")) is True
    assert store.current_id() == first.snapshot_id
    assert len(store.snapshot_ids()) == 2


def test_snapshots_are_listed_oldest_first(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    now = datetime(2026, 1, 1, tzinfo=UTC)
    for day, name in ((2, "late"), (1, "early"), (3, "last")):
        publish(store, *staged(store, name, now=now + timedelta(days=day)))
    made = [store.open(one).manifest.fingerprints["load"] for one in store.snapshot_ids()]
    assert made == ["early", "late", "last"]


def test_what_is_newer_stays_so_where_the_clock_is_put_back(tmp_path: Path) -> None:
    store, tomorrow = Store(str(tmp_path)), datetime.now(UTC) + timedelta(days=1)
    publish(store, *staged(store, "one", now=tomorrow))
    damaged = store.snapshot_folder("damaged")
    damaged.write_bytes("manifest.json", b"{")  # the log names it, and nothing stops for it
    for name in ("two", "three"):
        publish(store, *staged(store, name, now=time_of_publish(store)))
    made = [store.open(one).manifest.fingerprints["load"] for one in store.snapshot_ids()]
    assert made == ["one", "two", "three"]
    assert rollback(store).after == store.snapshot_ids()[1]


def test_a_reader_that_is_overtaken_opens_what_is_current_now(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    publish(store, *staged(store, "one"))
    overtaken = []

    def make(snapshot: Snapshot) -> str:
        if not overtaken:
            overtaken.append(snapshot.snapshot_id)
            publish(store, *staged(store, "two"))
            collect_garbage(store, keep=0, staging_age=timedelta(days=1))
        snapshot.table("chunks")
        return snapshot.snapshot_id

    assert store.opened(make) == store.current_id()
    assert overtaken != [store.current_id()]
    with pytest.raises(SnapshotError, match="there is no snapshot"):
        store.opened(make, overtaken[0])


@pytest.mark.parametrize("file", ["chunks.parquet", "graph/edges.arrow"])
def test_a_changed_or_lost_file_is_found_and_named(tmp_path: Path, file: str) -> None:
    store = Store(str(tmp_path))
    publish(store, *staged(store))
    path = Path(store.open().folder.path(file))
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(SnapshotError, match=f"{file}: bytes are not those published"):
        store.open().verify()
    path.unlink()
    with pytest.raises(SnapshotError, match=f"{file}: a table is missing"):
        store.open().verify()


def test_a_large_file_is_hashed_once_and_again_when_it_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphrag_tasks.storage.snapshots.store._LARGE", 0)
    store = Store(str(tmp_path))
    publish(store, *staged(store))
    path = Path(store.open().folder.path("chunks.parquet"))
    whole = path.read_bytes()
    store.open().table("chunks")
    with monkeypatch.context() as patched:
        patched.setattr(Folder, "sha256", lambda *_: pytest.fail("it is hashed again"))
        store.open().table("chunks")
    path.write_bytes(b"x" * len(whole))
    for _ in range(2):
        with pytest.raises(SnapshotError, match="bytes are not those published"):
            store.open().table("chunks")
    path.write_bytes(whole)
    assert store.open().table("chunks").num_rows == store.open().manifest.tables["chunks"].rows


def test_a_manifest_that_was_altered_with_its_table_does_not_fit_the_id(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    publish(store, *staged(store))
    folder = store.open().folder
    manifest = folder.read_json("manifest.json")
    Path(folder.path("chunks.parquet")).write_bytes(b"poison")
    manifest["tables"]["chunks"]["sha256"] = folder.sha256("chunks.parquet")
    folder.write_json("manifest.json", manifest)
    with pytest.raises(SnapshotError, match="is not that of its content"):
        store.open().verify()


def test_an_unknown_snapshot_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    _, manifest = staged(store)
    publish(store, *staged(store))
    with pytest.raises(SnapshotError, match=f"no snapshot abc.*Published: {manifest.snapshot_id}"):
        store.open("abc")


@pytest.mark.parametrize(("version", "hint"), [(99, "Read it with the release"), (1, "Rebuild it")])
def test_another_schema_version_is_refused(tmp_path: Path, version: int, hint: str) -> None:
    store = Store(str(tmp_path))
    publish(store, *staged(store))
    file = Path(store.open().folder.path("manifest.json"))
    file.write_text(json.dumps(json.loads(file.read_text()) | {"schema_version": version}))
    with pytest.raises(SnapshotError, match=f"has schema version {version},.*{hint}"):
        store.open()
