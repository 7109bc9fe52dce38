"""Runs on a store whose pointer or current manifest was damaged."""

from collections.abc import Callable
from pathlib import Path

import pytest

from graphrag_tasks.core.errors import SourceError
from graphrag_tasks.pipeline import Published
from graphrag_tasks.storage.snapshots.store import Store

Damage = Callable[[Store], object]


def lose_pointer(store: Store) -> None:
    Path(store.folder.path("CURRENT")).write_bytes(b"")


def break_pointer(store: Store) -> None:
    Path(store.folder.path("CURRENT")).write_bytes(b"\xff" * 25)


def break_manifest(store: Store) -> None:
    file = Path(store.snapshot_folder(str(store.current_id())).path("manifest.json"))
    file.write_text(file.read_text().replace('"created_at"', '"creatd_at"'))


def break_documents(store: Store) -> None:
    file = Path(store.snapshot_folder(str(store.current_id())).path("documents.parquet"))
    file.write_bytes(file.read_bytes()[:-1])


LATER = (lose_pointer, break_pointer, break_documents)
SLOW = [pytest.param(one, marks=pytest.mark.slow) for one in LATER]


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize("damage", [break_manifest, *SLOW])
def test_a_run_compares_with_the_last_readable_snapshot_and_mends_the_store(
    tmp_path: Path, corpus: Path, index: Callable[..., Published], damage: Damage, worked: list[str]
) -> None:
    store = Store(str(tmp_path / "store"))
    (corpus / "reports.md").write_text("# Reports\n\nThe report ZNEW reads the table VBBS.\n")
    second = index()
    damage(store)
    kept = [(file, file.read_text()) for file in sorted(corpus.iterdir())]
    for file, _ in kept[1:]:
        file.unlink()
    with pytest.raises(SourceError, match="documents are gone"):
        index()
    for file, text in kept:
        file.write_text(text)
    worked.clear()
    mended = index()
    assert mended.manifest.tables == second.manifest.tables
    assert store.open().snapshot_id == second.manifest.snapshot_id
    store.open().verify()
    assert ("parse" in worked) is (damage in (break_manifest, break_documents))
