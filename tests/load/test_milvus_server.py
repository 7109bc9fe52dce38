"""A Milvus server of its own process, spoken to over the network as a real one is."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from some_vectors import vectors

from graphrag_tasks.artifacts import Folder
from graphrag_tasks.config import LoadConfig
from graphrag_tasks.errors import TransientError
from graphrag_tasks.load.vector_store import VectorStore, open_vector_store, row_key


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
def server(uri: str) -> Iterator[VectorStore]:
    """The adapter; the store need not be local."""
    config = LoadConfig(vector_store="milvus", milvus_uri=uri, batch_rows=2)
    opened = open_vector_store(Folder("memory://store"), config)
    assert opened is not None
    yield opened
    opened.close()


def test_rows_are_inserted_once_and_counted(server: VectorStore) -> None:
    assert server.insert_new("chunk_a", vectors("a", "b", "c")) == 3
    assert server.insert_new("chunk_a", vectors("b", "c", "d")) == 1


def test_rows_that_no_snapshot_names_are_removed(server: VectorStore) -> None:
    server.insert_new("chunk_b", vectors("a", "b", "c", "d", "e"))
    kept = {row_key("id-b", "b"), row_key("id-d", "d")}
    assert server.remove_others("chunk_b", kept.__contains__) == 3
    assert server.insert_new("chunk_b", vectors("b", "d")) == 0
    assert server.insert_new("chunk_b", vectors("a")) == 1
    assert server.remove_others("absent", kept.__contains__) == 0


def test_a_server_that_is_down_is_a_passing_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphrag_tasks.load.vector_store._CONNECT_SECONDS", 1)
    config = LoadConfig(vector_store="milvus", milvus_uri="http://127.0.0.1:9")
    with pytest.raises(TransientError, match=r"127\.0\.0\.1:9: Milvus could not be opened"):
        open_vector_store(Folder("memory://store"), config)
