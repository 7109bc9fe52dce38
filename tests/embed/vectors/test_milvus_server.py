"""A Milvus server of its own process, spoken to over the network as a real one is."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from graphrag_tasks.core.config import LoadConfig
from graphrag_tasks.core.errors import QueryError, TransientError
from graphrag_tasks.embed.vectors.vector_store import VectorStore, open_vector_store, row_key, with_fields
from graphrag_tasks.storage.artifacts import Folder
from tests.embed.vectors.some_vectors import DIMENSION, vectors


def wait_for_port(port: int, server: subprocess.Popen[bytes], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("the server does not listen")


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on loopback, in a process group of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("milvus")
    command = Path(sys.executable).with_name("milvus-lite")
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(  # noqa: S603
            [command, "server", "--data-dir", str(folder / "data"), "--host", "127.0.0.1",
             "--port", str(port)],
            stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    wait_for_port(port, server)
    yield f"http://127.0.0.1:{port}"
    os.killpg(server.pid, signal.SIGTERM)
    server.wait(30)


@pytest.fixture
def server(uri: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[VectorStore]:
    """The adapter, with small batches; the store need not be local."""
    monkeypatch.setattr("graphrag_tasks.embed.vectors.milvus._BATCH_ROWS", 2)
    config = LoadConfig(vector_store="milvus", milvus_uri=uri)
    opened = open_vector_store(Folder("memory://store"), config)
    assert opened is not None
    yield opened
    opened.close()


def test_rows_that_no_snapshot_names_are_removed(server: VectorStore) -> None:
    server.insert_new("chunk_b", vectors("a", "b", "c", "d", "e"))
    kept = {row_key("id-b", "b"), row_key("id-d", "d")}
    assert server.remove_others("chunk_b", kept.__contains__) == 3
    assert server.insert_new("chunk_b", vectors("b", "d")) == 0
    assert server.insert_new("chunk_b", vectors("a")) == 1
    assert server.remove_others("absent", kept.__contains__) == 0


def test_a_server_that_is_down_is_tried_again_and_a_passing_error(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphrag_tasks.embed.vectors.milvus._RETRY_SECONDS", 1)
    config = LoadConfig(vector_store="milvus", milvus_uri="http://127.0.0.1:9")
    with pytest.raises(TransientError, match=r"127\.0\.0\.1:9: Milvus does not do"):
        open_vector_store(Folder("memory://store"), config)
    assert "try 2 failed" in caplog.text


def test_a_search_returns_the_nearest_rows_that_fit(server: VectorStore) -> None:
    rows = with_fields(
        vectors("a", "b", "c", "d"),
        pa.table({"chunk_id": ["id-d", "id-c", "id-b", "id-a"], "document_id": list("yyxx")}),
        pa.table({"document_id": ["x", "y"], "media_type": ["md", "pdf"], "labels": [["hr", "it"], []]}),
    )
    server.insert_new("chunk_c", rows)
    query = [1.0] * DIMENSION
    assert [hit.id for hit in server.search("chunk_c", query, 3)] == ["id-d", "id-c", "id-b"]
    (best, *others) = server.search("chunk_c", query, 3, {"document_id": ["x"]})
    assert (best.id, best.key, best.score) == ("id-b", row_key("id-b", "b", ["hr", "it"]), DIMENSION)
    assert [hit.id for hit in others] == ["id-a"]
    both = {"document_id": ["x", "y"], "media_type": ["pdf"]}
    assert [hit.id for hit in server.search("chunk_c", query, 9, both)] == ["id-d", "id-c"]
    labels = {"labels": ["it", "public"], "document_id": ["x", "y"]}
    assert [hit.id for hit in server.search("chunk_c", query, 9, labels)] == ["id-b", "id-a"]
    assert server.search("chunk_c", query, 9, {"labels": ["nobody"]}) == []


@pytest.mark.parametrize(
    "where",
    [
        {"document_id": ['x"] or id in ["y']}, {"document_id": [""]}, {"1 == 1 or x": ["x"]},
        {"labels": ['hr"]) or array_length(labels) >= 0 or array_contains_any(labels, ["x']}, {"labels": [""]},
    ],
)  # fmt: skip
def test_a_filter_holds_ids_and_nothing_else(server: VectorStore, where: dict[str, list[str]]) -> None:
    with pytest.raises(QueryError, match="a filter may not hold"):
        server.search("chunk_a", [1.0] * DIMENSION, 1, where)
