"""Copies of snapshots that lie elsewhere."""

from pathlib import Path

import pytest

from graphrag_tasks.core.errors import SnapshotError
from graphrag_tasks.storage.files import CACHE_VARIABLE
from graphrag_tasks.storage.snapshots.publish import publish
from graphrag_tasks.storage.snapshots.store import Store, mirrored
from tests.storage.snapshots.makers import staged


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    elsewhere = Store(f"memory://{tmp_path}")
    folder, manifest = staged(Store(str(tmp_path / "here")))
    publish(Store(str(tmp_path / "here")), folder, manifest)
    local = Store(str(tmp_path / "here")).open().folder
    target = elsewhere.snapshot_folder(manifest.snapshot_id)
    for file in Path(local.path()).rglob("*"):
        if file.is_file():
            target.write_bytes(str(file.relative_to(local.path())), file.read_bytes())
    elsewhere.set_current(manifest.snapshot_id, instead_of=None)
    return elsewhere


def test_a_copy_is_for_its_owner_alone(store: Store, tmp_path: Path) -> None:
    copied = mirrored(store.open())
    copied.verify()
    assert Path(copied.folder.path()).is_relative_to(tmp_path / "cache")
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700


def test_what_was_altered_elsewhere_is_not_copied(store: Store, tmp_path: Path) -> None:
    store.open().folder.write_bytes("chunks.parquet", b"other")
    with pytest.raises(SnapshotError, match="bytes are not those published"):
        mirrored(store.open())
    assert not list((tmp_path / "cache").iterdir())
