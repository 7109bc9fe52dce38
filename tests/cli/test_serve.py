"""`graphrag-tasks serve`: the pages alone, on this machine only."""

import os
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphrag_tasks.cli import app
from graphrag_tasks.core.errors import GraphragError


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    store = tmp_path / "store"
    (store / "staging" / "runs").mkdir(parents=True)
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "graphrag_tasks", "serve", "--store", str(store),
         "--port", "0"],
        stdout=subprocess.PIPE, text=True, env=os.environ | {"COLUMNS": "80"},
    )  # fmt: skip
    assert process.stdout
    yield next(word for word in process.stdout.readline().split() if word.startswith("http"))
    process.terminate()
    process.wait(30)
    process.stdout.close()


def test_it_tells_its_address_and_serves_nobody_who_was_led_here(address: str) -> None:
    assert address.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(address, timeout=60) as answer:  # noqa: S310
        assert "Nothing is published yet" in answer.read().decode()
    request = urllib.request.Request(address, headers={"Host": "evil.example"})  # noqa: S310
    with pytest.raises(urllib.error.HTTPError, match="400"):
        urllib.request.urlopen(request, timeout=60)  # noqa: S310


def test_a_folder_is_indexed_and_its_page_answers(tmp_path: Path) -> None:
    folder = tmp_path / "letters"
    folder.mkdir()
    (folder / "valve.md").write_text("# Valves\n\nThe valve closes the duct at noon.\n", "utf-8")
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "graphrag_tasks", "try", str(folder), "--no-open"],
        stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=os.environ | {"COLUMNS": "80"},
    )  # fmt: skip
    assert process.stdout
    try:
        words = (word for line in process.stdout for word in line.split())
        address = next(word for word in words if word.startswith("http"))
        asked = f"{address}snapshots/current/ask?question=When+does+the+valve+close%3F"
        with urllib.request.urlopen(asked, timeout=60) as answer:  # noqa: S310
            assert "The valve closes the duct at noon." in answer.read().decode()
        assert (tmp_path / "letters-index" / "CURRENT").exists()
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def test_a_port_in_use_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "staging").mkdir()
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        with pytest.raises(GraphragError, match=rf"port {port} cannot be used.*--port 0"):
            CliRunner().invoke(app, ["serve", "--store", str(tmp_path), "--port", port], catch_exceptions=False)
