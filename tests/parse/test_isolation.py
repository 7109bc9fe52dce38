"""The worker: a document that breaks it costs its own row and nothing else."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.config import ParseConfig
from graphrag_tasks.core.errors import DocumentError, TransientError
from graphrag_tasks.core.progress import mapped_bytes
from graphrag_tasks.parse import isolation, readers
from graphrag_tasks.parse.isolation import Parser

ROOT = Path(__file__).parents[2]
BOUNDS = ParseConfig(seconds_per_document=1, memory_bytes=300_000_000)


@pytest.fixture(autouse=True, scope="module")
def own_workers() -> Iterator[None]:
    """Leave the worker of the other tests, which has imported the real readers, alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(isolation, "_idle", {})
        yield
        isolation._end_idle_worker()


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make Markdown files say what their parser does."""
    monkeypatch.setitem(readers.READERS, "md", ("tests.parse.hostile_readers", "obey"))


def outcomes(result: Any) -> list[tuple[str, str | None]]:
    return [(row["uri"], row["error_code"]) for row in result.tables["documents"].to_pylist()]


def eventually(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds()


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize(
    ("action", "code", "said"),
    [
        ("hang:", "timeout", "longer than the 1 s allowed"),
        ("allocate:", "out_of_memory", "more memory than is allowed"),
        ("exit:", "crashed", "ended with exit status 3"),
        ("segfault:", "crashed", "ended by SIGSEGV"),
        ("kill:", "out_of_memory", "the system ended the parser process"),
        ("recurse:", "broken", "nested too deep"),
        ("connect:", "parse_failed", "documents may not cause socket.connect"),
        ("resolve:", "parse_failed", "documents may not cause socket.getaddrinfo"),
        ("run:", "parse_failed", "documents may not cause subprocess.Popen"),
    ],
)
def test_a_document_that_breaks_its_parser_costs_itself(parse_files: Any, action: str, code: str, said: str) -> None:
    files = {"a.md": b"before", "b.md": action.encode(), "c.md": b"after", "d.txt": b"text"}
    began = time.monotonic()
    result = parse_files(files, config=BOUNDS)
    assert time.monotonic() - began < 20
    assert outcomes(result) == [("a.md", None), ("b.md", code), ("c.md", None), ("d.txt", None)]
    message = result.tables["documents"]["error_message"][1].as_py()
    assert message.startswith("b.md: ")
    assert said in message
    assert result.tables["blocks"]["text"].to_pylist() == ["before", "after", "text"]


def test_one_worker_serves_all_documents(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(readers.READERS, "md", ("tests.parse.hostile_readers", "pid"))
    with Parser(["md"], BOUNDS) as parser:
        pids = {parser.read("md", b"x").blocks[0].text for _ in range(3)}
    assert len(pids) == 1
    assert pids != {str(os.getpid())}
    assert not capfd.readouterr().err


@pytest.mark.usefixtures("hostile")
def test_a_worker_that_died_between_documents_costs_none() -> None:
    with Parser(["md"], BOUNDS) as parser:
        parser.read("md", b"x")
        worker = parser._ready()
        worker._process.kill()
        worker._process.wait()
        assert parser.read("md", b"y").blocks[0].text == "y"


@pytest.mark.usefixtures("hostile")
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory is not bounded")
def test_the_bound_on_memory_is_that_of_the_process() -> None:
    with Parser(["md"], ParseConfig(memory_bytes=1_000_000_000)) as parser:
        parser.read("md", b"x")
        own = mapped_bytes(parser._ready()._process.pid)
        assert 0 < own < 1_000_000_000
        assert parser.read("md", f"map:{900_000_000 - own}".encode()).blocks
        with pytest.raises(DocumentError, match="more memory than is allowed"):
            parser.read("md", b"map:900000000")


def test_a_worker_that_cannot_start_is_no_fault_of_a_document(
    parse_files: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(readers.READERS, "md", ("tests.parse.hostile_readers", "obey"))
    monkeypatch.setattr(isolation, "_idle", {})
    monkeypatch.setattr(isolation, "START_SECONDS", 0)
    with pytest.raises(TransientError, match="not ready within 0 s"):
        parse_files({"a.md": b"x"})
    monkeypatch.undo()
    monkeypatch.setitem(readers.READERS, "md", ("tests.parse.ends_at_import", "read"))
    monkeypatch.setattr(isolation, "_idle", {})
    with pytest.raises(TransientError, match="ended with exit status 4 before it was ready"):
        parse_files({"a.md": b"x"})


PARENT = """
import sys
from graphrag_tasks.core.config import ParseConfig
from graphrag_tasks.parse import readers
from graphrag_tasks.parse.isolation import Parser
readers.READERS["md"] = ("tests.parse.hostile_readers", "obey")
with Parser(["md"], ParseConfig()) as parser:
    parser.read("md", f"hang:{sys.argv[1]}".encode())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends after its document")
def test_a_hanging_worker_does_not_outlive_its_parent(tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    paths = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    parent = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", PARENT, str(marker)], env={**os.environ, "PYTHONPATH": paths}
    )
    try:
        assert eventually(lambda: marker.exists() and marker.read_text() != "")
    finally:
        parent.kill()
        parent.wait()
    proc = Path("/proc") / marker.read_text() / "stat"
    assert eventually(lambda: not proc.exists() or proc.read_text().split()[2] == "Z")


def parse_in_pool(text: str) -> str:
    readers.READERS["md"] = ("tests.parse.hostile_readers", "obey")
    with Parser(["md"], BOUNDS) as parser:
        return parser.read("md", text.encode()).blocks[0].text


def test_it_works_in_pools_and_in_daemonic_processes() -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as executor:
        assert executor.submit(parse_in_pool, "pool").result() == "pool"
    with context.Pool(1) as pool:  # its processes are daemonic
        assert pool.apply(parse_in_pool, ("daemonic",)) == "daemonic"
