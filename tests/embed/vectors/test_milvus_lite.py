"""Milvus Lite, for real: rows are immutable, only new ones are inserted, the lock is released."""

import contextlib
from pathlib import Path

import pytest

from graphrag_tasks.core.config import LoadConfig
from graphrag_tasks.core.errors import ConfigError, TransientError
from graphrag_tasks.embed.vectors.milvus import MILVUS_FILE
from graphrag_tasks.embed.vectors.vector_store import chosen, collection_name, open_vector_store
from graphrag_tasks.storage.artifacts import Folder
from tests.embed.vectors.some_vectors import vectors

LITE = LoadConfig(vector_store="milvus_lite")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphrag_tasks.embed.vectors.milvus._BATCH_ROWS", 2)


def test_a_load_inserts_only_what_is_new(tmp_path: Path) -> None:
    from pymilvus import MilvusClient

    collection = collection_name("chunk", "f" * 64)
    for table, inserted in ((vectors("a", "b", "c"), 3), (vectors("b", "c", "d"), 1)):
        server = open_vector_store(Folder(tmp_path), LITE)
        assert server is not None
        try:
            assert server.insert_new(collection, table) == inserted
        finally:
            server.close()
    client = MilvusClient(str(tmp_path / MILVUS_FILE))
    client.load_collection(collection)
    found = client.query(collection, filter="", output_fields=["count(*)"])
    client.close()
    assert found[0]["count(*)"] == 4


@pytest.mark.parametrize("step", ["milvus_lite.db.save_schema", "pymilvus.milvus_client.MilvusClient.create_index"])
def test_a_collection_half_made_by_a_killed_process_is_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    from pymilvus import MilvusClient

    server = open_vector_store(Folder(tmp_path), LITE)
    assert server is not None

    def die(*_: object, **__: object) -> None:
        raise OSError("killed")

    try:
        with monkeypatch.context() as patched, contextlib.suppress(OSError, TransientError):
            patched.setattr("graphrag_tasks.embed.vectors.milvus._RETRY_SECONDS", 0)
            patched.setattr(step, die)
            server.insert_new("chunk_a", vectors("a"))
        assert (tmp_path / MILVUS_FILE / "collections" / "chunk_a").is_dir()
        assert server.insert_new("chunk_a", vectors("a")) == 1
    finally:
        server.close()
    client = MilvusClient(str(tmp_path / MILVUS_FILE))
    assert client.list_indexes("chunk_a")  # a server loads no collection without
    client.close()


def test_rows_are_removed_without_a_word_of_the_library(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    collection = collection_name("chunk", "f" * 64)
    server = open_vector_store(Folder(tmp_path), LITE)
    assert server is not None
    try:
        server.insert_new(collection, vectors("a", "b"))
        assert server.remove_others(collection, kept=lambda _: False) == 2
    finally:
        server.close()
    assert "WARNING" not in capfd.readouterr().err


def test_nothing_goes_to_a_server_that_no_setting_names(tmp_path: Path) -> None:
    """Milvus Lite is installed here, as it is wherever Milvus's client is."""
    assert open_vector_store(Folder(tmp_path), LoadConfig()) is None
    assert not list(tmp_path.iterdir())
    assert chosen(Folder(tmp_path), LoadConfig(vector_store="auto")) == "milvus_lite"


def test_a_remote_store_is_refused_with_the_way_out() -> None:
    with pytest.raises(ConfigError, match=r"local disk.*vector_store = 'none'"):
        open_vector_store(Folder("memory://store"), LoadConfig(vector_store="milvus_lite"))
