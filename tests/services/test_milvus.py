"""A real Milvus server: whole runs load it, are counted, read back, tidied up, and outlive it."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.config import Config, load_config
from graphrag_tasks.core.errors import TransientError
from graphrag_tasks.embed.vectors.vector_store import VectorStore, open_vector_store, row_key
from graphrag_tasks.operations.retention import collect_garbage
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.pipeline import Published
from graphrag_tasks.retrieval.index import open_served
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.snapshots.store import ARROW_TABLES, Snapshot, Store
from tests.services.milvus_service import Milvus

pytestmark = pytest.mark.services

TEXTS = {
    "tables.md": "# Table changes\n\nSAP replaced the table VBBS with the table VBBE. "
    "The table KONV was replaced by PRCD_ELEMENTS.\n",
    "reports.md": "# Reports\n\nThe report ZSALES reads the table VBBS. The transaction MD04 shows the requirements.\n",
    "note.txt": "The check finds obsolete tables in custom code.\n",
}


@pytest.fixture(scope="module")
def milvus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Milvus]:
    server = Milvus(tmp_path_factory.mktemp("milvus"))
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture
def corpus(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Documents of a source of its own: tests share collections, and no rows in them."""
    folder = tmp_path / request.node.name
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def config(tmp_path: Path, corpus: Path, milvus: Milvus) -> Config:
    return configure(tmp_path, corpus, milvus.uri)


def configure(folder: Path, corpus: Path, uri: str, access: dict[str, Any] | None = None) -> Config:
    overrides = {
        "store": str(folder / "store"),
        "sources": [str(corpus)],
        "load": {"vector_store": "milvus", "milvus_uri": uri},
        "access": access or {},
    }
    return load_config(overrides=overrides, environ={})


@pytest.fixture
def server(config: Config) -> Iterator[VectorStore]:
    opened = open_vector_store(Folder(config.store), config.load)
    assert opened is not None
    yield opened
    opened.close()


def keys_of(snapshot: Snapshot) -> dict[str, set[str]]:
    """Return the keys that a snapshot names, by collection."""
    keys = {}
    for name, collection in snapshot.manifest.collections.items():
        rows = snapshot.folder.open_arrow(ARROW_TABLES[name]).select(["id", "text_sha256"])
        keys[collection] = {row_key(**one) for one in named(rows.to_pylist())}
    return keys


def named(rows: list[dict[str, str]]) -> Iterator[dict[str, str]]:
    return ({"row_id": row["id"], "text_sha256": row["text_sha256"]} for row in rows)


def count(uri: str, collection: str) -> int:
    """Count rows as any client of the server would."""
    from pymilvus import MilvusClient

    client = MilvusClient(uri)
    try:
        client.load_collection(collection)
        return int(client.query(collection, output_fields=["count(*)"])[0]["count(*)"])
    finally:
        client.close()


def inserted(published: Published) -> int:
    return int(published.manifest.stats["by_stage"]["load"]["vectors_inserted"])


def test_a_run_loads_only_what_is_new_and_gc_removes_what_is_old(
    config: Config, corpus: Path, server: VectorStore
) -> None:
    first = run_index(config, workers=1)
    store = Store(config.store)
    before = keys_of(store.open())
    assert inserted(first) == sum(map(len, before.values())) > 0
    for collection, keys in before.items():
        assert count(config.load.milvus_uri, collection) == len(keys)

    (corpus / "note.txt").write_text("The check finds 20 obsolete tables. It ignores VBFA.\n")
    second = run_index(config, workers=1)
    after = keys_of(store.open())
    assert inserted(second) == sum(len(after[one] - before[one]) for one in after) > 0
    for collection, keys in after.items():
        assert count(config.load.milvus_uri, collection) == len(keys | before[collection])

    removed = collect_garbage(store, keep=0, staging_age=timedelta(1), server=server)
    assert removed.snapshots == (first.manifest.snapshot_id,)
    assert removed.vectors == sum(len(before[one] - after[one]) for one in after) > 0
    for collection, keys in after.items():
        assert count(config.load.milvus_uri, collection) == len(keys)

    chunks = store.open().table("chunk_vectors")
    collection = second.manifest.collections["chunk_vectors"]
    for row in chunks.to_pylist():
        best = server.search(collection, row["vector"], 1)[0]
        assert best.key == row_key(row["id"], row["text_sha256"])
        assert best.score == pytest.approx(1, abs=1e-5)


def test_a_search_keeps_to_the_documents_asked_for(config: Config, corpus: Path, server: VectorStore) -> None:
    collection = run_index(config, workers=1).manifest.collections["chunk_vectors"]
    snapshot = Store(config.store).open()
    chunks = snapshot.table("chunks", ["chunk_id", "document_id"]).to_pylist()
    document = snapshot.document(f"{corpus.name}/reports.md")["document_id"]
    wanted = {row["chunk_id"] for row in chunks if row["document_id"] == document}
    query = snapshot.table("chunk_vectors", ["vector"])["vector"][0].as_py()
    found = server.search(collection, query, 9, {"document_id": [document]})
    assert {hit.id for hit in found} == wanted
    texts = snapshot.document(f"{corpus.name}/note.txt")["document_id"]
    found = server.search(collection, query, 9, {"document_id": [document, texts], "media_type": ["txt"]})
    assert {hit.id for hit in found} == {row["chunk_id"] for row in chunks if row["document_id"] == texts}


def test_labels_are_fields_of_rows_that_never_change(tmp_path: Path, corpus: Path, milvus: Milvus) -> None:
    config = configure(
        tmp_path, corpus, milvus.uri, access={"enabled": True, "rules": [{"path": "*.md", "labels": ["dba"]}]}
    )

    def found(*principals: str) -> set[str]:
        with open_served(config.store, config.load, principals=principals) as reader:
            query = Store(config.store).open().table("chunk_vectors", ["vector"])["vector"][0]
            return {hit.id for hit in reader.search("chunk", query.as_py(), 9)}

    run_index(config, workers=1)
    chunks = Store(config.store).open().table("chunks", ["chunk_id", "document_id"]).to_pylist()
    assert found("sales") == set()
    assert len(found("dba")) == len(chunks) - 1

    (corpus / "reports.md.access.yaml").write_text("labels: [sales]")
    second = run_index(config, workers=1)
    document = Store(config.store).open().document(f"{corpus.name}/reports.md")["document_id"]
    moved = {row["chunk_id"] for row in chunks if row["document_id"] == document}
    assert inserted(second) == len(moved) > 0
    assert found("sales") == moved
    assert found("dba").isdisjoint(moved)


def test_a_server_that_is_down_fails_the_run_and_the_next_one_completes(
    tmp_path: Path, corpus: Path, milvus: Milvus, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphrag_tasks.embed.vectors.milvus._RETRY_SECONDS", 3)
    config = configure(tmp_path, corpus, milvus.uri)
    first = run_index(config, workers=1).manifest.snapshot_id
    store = Store(config.store)
    (corpus / "new.md").write_text("The program RSVBBE01 fills the table VBBE.\n")
    milvus.stop()
    try:
        with pytest.raises(TransientError, match="Milvus"):
            run_index(config, workers=1)
        assert "another follows" in caplog.text
        assert store.current_id() == first
        store.open().verify()
    finally:
        milvus.start()
    second = run_index(config, workers=1)
    assert second.changed
    for collection, keys in keys_of(store.open()).items():
        assert count(milvus.uri, collection) >= len(keys)


def test_a_server_that_comes_back_in_time_is_waited_for(
    tmp_path: Path, corpus: Path, milvus: Milvus, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphrag_tasks.embed.vectors.milvus._RETRY_SECONDS", 120)
    config = configure(tmp_path, corpus, milvus.uri)
    milvus.stop()
    asked = lambda: "another follows" in caplog.text  # noqa: E731
    starter = threading.Thread(target=restart_when(milvus, asked))
    starter.start()
    try:
        assert run_index(config, workers=1).changed
    finally:
        starter.join()
    for collection, keys in keys_of(Store(config.store).open()).items():
        assert count(milvus.uri, collection) >= len(keys)


def restart_when(milvus: Milvus, asked: Callable[[], bool]) -> Callable[[], None]:
    """Return what starts the server once it was asked for in vain."""

    def work() -> None:
        from tests.services.processes import wait_for

        wait_for(asked, 120, "request while the server is down")
        milvus.start()

    return work
