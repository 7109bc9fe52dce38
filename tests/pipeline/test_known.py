"""What is known to be published: as far back as documents can be read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.pipeline.outlook import Known, known_documents
from graphrag_tasks.storage.snapshots.manifests import MANIFEST_FILE, Manifest
from graphrag_tasks.storage.snapshots.store import Store

FIRST, SECOND = "1" * 24, "2" * 24


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "store"))


def publish(store: Store, snapshot_id: str, *documents: str, labels: Any = None) -> Path:
    """Publish a snapshot of a documents table alone, later than those before."""
    rows = [
        dict.fromkeys(schemas.DOCUMENTS.names, "")
        | {"document_id": one, "source": "docs", "labels": labels, "left_out": None}
        | {"encoding_confidence": None}
        | dict.fromkeys(("size_bytes", "pages_in", "pages_out", "characters", "cells"), 0)
        for one in documents
    ]
    folder = store.snapshot_folder(snapshot_id)
    table = pa.Table.from_pylist(rows, schema=schemas.DOCUMENTS)
    written = folder.write_table("documents", table, fingerprint="f")
    manifest = Manifest(
        snapshot_id, None, f"2026-01-0{snapshot_id[0]}T00:00:00Z", {}, {},
        {"model": "m", "max_tokens": 8, "fingerprint": "f", "dimension": 2}, {},
        {"documents": written}, {}, schema_version=1,
    )  # fmt: skip
    folder.write_json(MANIFEST_FILE, manifest.as_dict())
    store.set_current(snapshot_id, instead_of=None)
    return Path(folder.path())


def ids(known: Known) -> list[str] | None:
    return known.documents["document_id"].to_pylist() if known.documents is not None else None


def test_the_current_snapshot_says_it_whatever_its_schema(store: Store) -> None:
    publish(store, FIRST, "a")
    publish(store, SECOND, "a", "b")
    assert (ids(known_documents(store)), known_documents(store).count) == (["a", "b"], 0)
    store.set_current(FIRST, instead_of=None)
    assert ids(known_documents(store)) == ["a"]


def cut(file: Path) -> None:
    file.write_bytes(b"PAR1")


def alter(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


@pytest.mark.parametrize("damage", [cut, alter, Path.unlink])
def test_a_damaged_one_is_passed_over_and_its_manifest_still_counts(
    store: Store, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    first, second = publish(store, FIRST, "a"), publish(store, SECOND, "a", "b")
    damage(second / "documents.parquet")
    known = known_documents(store)
    assert (ids(known), known.count) == (["a"], 2)
    assert f"documents of snapshot {SECOND} are not known" in caplog.text
    damage(first / "documents.parquet")
    assert ids(known_documents(store)) is None


@pytest.mark.parametrize("manifest", [b"{", b"[]", b"null", b'{"tables": {"documents": 3}}'])
def test_documents_are_read_though_their_manifest_is_damaged(store: Store, manifest: bytes) -> None:
    folder = publish(store, FIRST, "a")
    (folder / "manifest.json").write_bytes(manifest)
    assert ids(known_documents(store)) == ["a"]


def test_without_a_pointer_the_newest_snapshot_says_it(store: Store) -> None:
    publish(store, FIRST, "a")
    publish(store, SECOND, "b")
    Path(store.folder.path("CURRENT")).unlink()
    assert ids(known_documents(store)) == ["b"]


def test_an_older_table_may_lack_labels_but_not_ids(store: Store) -> None:
    folder = publish(store, FIRST, "a")
    for columns, found in ((["document_id", "source"], ["a"]), (["source"], None)):
        table = store.folder.read_any_version(f"snapshots/{FIRST}/documents", columns)
        pq.write_table(table, folder / "documents.parquet")
        manifest = json.loads((folder / "manifest.json").read_text())
        sha256 = store.snapshot_folder(FIRST).sha256("documents.parquet")
        manifest["tables"]["documents"]["sha256"] = sha256
        (folder / "manifest.json").write_text(json.dumps(manifest))
        assert ids(known_documents(store)) == found
        assert not known_documents(store).has_labels
