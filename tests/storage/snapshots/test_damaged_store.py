"""A store of which files were lost or damaged: it is said, and what is whole goes on."""

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graphrag_tasks.cli import app
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import GraphragError, SnapshotError
from graphrag_tasks.operations.retention import collect_garbage, rollback, verify_all
from graphrag_tasks.retrieval import open_index
from graphrag_tasks.retrieval.index import open_served
from graphrag_tasks.storage.snapshots.publish import publish, time_of_publish
from graphrag_tasks.storage.snapshots.store import Store, last_readable
from tests.storage.snapshots.makers import published, staged

DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three snapshots, the last one current."""
    root = tmp_path_factory.mktemp("whole") / "store"
    for number in range(3):
        published(Store(str(root)), f"{number}", now=datetime(2026, 1, 1 + number, tzinfo=UTC))
    return root


@pytest.fixture
def store(tmp_path: Path, whole: Path) -> Store:
    """A copy of them."""
    return Store(str(shutil.copytree(whole, tmp_path / "store")))


def change(store: Store, snapshot_id: str, edit: Callable[[dict[str, Any]], object]) -> None:
    """Edit the manifest of a snapshot."""
    file = Path(store.snapshot_folder(snapshot_id).path("manifest.json"))
    values = json.loads(file.read_text())
    edit(values)
    file.write_text(json.dumps(values))


def current_file(store: Store) -> Path:
    return Path(store.folder.path("CURRENT"))


NONE = {"rows": 0, "sha256": ""}
EDITS: dict[str, Callable[[dict[str, Any]], object]] = {
    "no created_at": lambda values: values.update({"creatd_at": values.pop("created_at")}),
    "no snapshot_id": lambda values: values.pop("snapshot_id"),
    "no stats": lambda values: values.pop("stats"),
    "no schema_version": lambda values: values.pop("schema_version"),
    "time is a number": lambda values: values.update(created_at=7),
    "time is none": lambda values: values.update(created_at="yesterday"),
    "id is a path": lambda values: values.update(snapshot_id="../x"),
    "id of another": lambda values: values.update(snapshot_id="0" * 24),
    "tables are a list": lambda values: values.update(tables=[]),
    "a table lacks rows": lambda values: values["tables"]["chunks"].pop("rows"),
    "a table is a path": lambda values: values["tables"].update({"../x": NONE}),
    "collections are a text": lambda values: values.update(collections="x"),
    "dimension is a text": lambda values: values["embedding"].update(dimension="8"),
    "stages are a number": lambda values: values.update(stats={"stages": 1}),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_an_older_damaged_manifest_stops_nothing(store: Store, edit: Callable[[dict[str, Any]], object]) -> None:
    oldest, second, current = store.snapshot_ids()
    change(store, oldest, edit)
    assert store.snapshot_ids() == [second, current]
    assert store.damaged() == [oldest]
    with pytest.raises(SnapshotError, match=f"1 of 3 snapshots.*{oldest}"):
        verify_all(store)
    collect_garbage(store, keep=9, staging_age=DAY)
    assert publish(store, *staged(store, "new", now=time_of_publish(store)))
    assert rollback(store).after == current
    command = ["snapshots", "--store", store.folder.uri]
    listed = CliRunner().invoke(app, [*command, "--json"])
    rows = {row["snapshot_id"]: row for row in json.loads(listed.stdout)}
    assert (rows[oldest]["created_at"], rows[oldest]["chunks"]) == ("damaged", None)
    assert CliRunner().invoke(app, ["snapshots", "--store", store.folder.uri]).exit_code == 0


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_a_damaged_manifest_of_the_current_snapshot_is_named(
    store: Store, edit: Callable[[dict[str, Any]], object]
) -> None:
    _, second, current = store.snapshot_ids()
    change(store, current, edit)
    with pytest.raises(SnapshotError, match="manifest"):
        store.open()
    with pytest.raises(SnapshotError, match="manifest"):
        open_index(store.folder.uri)
    assert (found := last_readable(store)) is not None
    assert found.snapshot_id == second
    assert rollback(store).before == current
    assert store.open().snapshot_id == second


# --- CURRENT is lost

LOST: dict[str, bytes | None] = {
    "missing": None,
    "empty": b"",
    "zeroed": bytes(25),
    "not ASCII": b"\xff\xfe" * 12,
    "a path": b"../../x",
    "longer": b"0123456789abcdef" * 2,
}


def lose(store: Store, content: bytes | None) -> None:
    if content is None:
        current_file(store).unlink()
    else:
        current_file(store).write_bytes(content)


@pytest.mark.parametrize("content", LOST.values(), ids=LOST.keys())
def test_a_store_without_its_pointer_keeps_a_snapshot_and_takes_a_rollback(store: Store, content: bytes | None) -> None:
    oldest, second, newest = store.snapshot_ids()
    lose(store, content)
    for call in (store.open, lambda: open_index(store.folder.uri)):
        with pytest.raises(SnapshotError, match=f"CURRENT.*snapshots rollback {newest}"):
            call()
    removed = collect_garbage(store, keep=1, staging_age=DAY)
    assert removed.snapshots == (oldest,)
    removed = collect_garbage(store, keep=0, staging_age=DAY)
    assert removed.snapshots == (second,)
    assert (found := last_readable(store)) is not None
    assert found.snapshot_id == newest
    done = rollback(store)
    assert (done.before, done.after, store.current_id()) == (None, newest, newest)


def test_rollback_takes_the_snapshot_that_is_named_though_the_pointer_is_lost(store: Store) -> None:
    oldest, *_ = store.snapshot_ids()
    lose(store, None)
    assert rollback(store, oldest).after == oldest == store.current_id()
    lose(store, b"")
    said = CliRunner().invoke(app, ["snapshots", "rollback", oldest, "--store", store.folder.uri])
    assert f"Current is {oldest} now; it was lost." in " ".join(said.stdout.split())


def test_garbage_collection_keeps_the_last_snapshot_that_can_be_read(store: Store) -> None:
    oldest, second, current = store.snapshot_ids()
    file = Path(store.snapshot_folder(current).path("documents.parquet"))
    file.write_bytes(file.read_bytes()[:-1])
    assert collect_garbage(store, keep=0, staging_age=DAY).snapshots == (oldest,)
    assert store.snapshot_ids() == [second, current]
    assert rollback(store).after == second
    lose(store, None)
    assert collect_garbage(store, keep=0, staging_age=DAY).snapshots == ()


# --- ids


@pytest.mark.parametrize("name", ["../x", "..", ".", "", "a/b", "/etc", "0" * 23, "A" * 24, "\0"])
def test_only_an_id_names_a_snapshot(store: Store, tmp_path: Path, name: str) -> None:
    outside = Path(store.snapshot_folder(store.snapshot_ids()[0]).path())
    for place in (tmp_path / "store" / "x", tmp_path / "store" / "snapshots" / "0" / "x"):
        place.parent.mkdir(exist_ok=True)
        place.symlink_to(outside)
    current = store.current_id()
    if name:
        calls: list[Callable[[], object]] = [
            lambda: store.open(name),
            lambda: open_index(store.folder.uri, snapshot=name),
            lambda: rollback(store, name),
            lambda: open_served(store.folder.uri, load_config(environ={}).load, name).__enter__(),
        ]
        for call in calls:
            with pytest.raises(GraphragError, match=f"no snapshot.*Published: .*{current}"):
                call()
    current_file(store).write_text(name)
    assert store.current_id() is None
    with pytest.raises(SnapshotError, match="CURRENT"):
        store.open()


def test_a_lost_pointer_is_written_by_the_next_publish(store: Store) -> None:
    for content in LOST.values():
        lose(store, content)
        name = f"after {content!r}".encode().hex()
        folder, manifest = staged(store, name, now=time_of_publish(store))
        assert publish(store, folder, manifest)
        assert store.open().snapshot_id == manifest.snapshot_id
