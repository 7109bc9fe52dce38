"""Files and folders that are not what a command takes them for: one line, and a status of one."""

import errno
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphrag_tasks.cli import main
from graphrag_tasks.core.errors import ArtifactError
from graphrag_tasks.storage import file_system
from graphrag_tasks.storage.snapshots.store import Store
from tests.storage.snapshots.makers import published

Fail = Callable[..., str]


@pytest.fixture
def fail(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Fail:
    """Run a command that must fail as a user error does, and return its one line."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path) -> str:
        monkeypatch.setattr("sys.argv", ["graphrag-tasks", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        assert ended.value.code == 1
        lines = [line for line in said.err.splitlines() if line]  # the bar leaves a blank one
        assert len(lines) == 1, said.err
        assert lines[0].startswith("error: ")
        return lines[0]

    return run


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """One snapshot of nothing."""
    made = Store(str(tmp_path / "store"))
    published(made, "one", now=datetime(2026, 1, 1, tzinfo=UTC))
    return made


def test_a_configuration_that_is_no_file(fail: Fail, tmp_path: Path) -> None:
    for place in (tmp_path, Path("/dev/null/x"), tmp_path / ("n" * 300)):
        said = fail("snapshots", "show", "--config", place)
        assert f"{place}: the configuration file cannot be read" in said
    assert "does not exist" in fail("snapshots", "show", "--config", tmp_path / "no.toml")


NO_TOML = [b"\xff", b"store = ", b"a = " + b"[" * 5000, b"store = 1", b'store = "a\0"', b"[store]"]


@pytest.mark.parametrize("text", NO_TOML)
def test_a_configuration_that_is_no_configuration(fail: Fail, tmp_path: Path, text: bytes) -> None:
    (tmp_path / "graphrag.toml").write_bytes(text)
    fail("snapshots", "show")


STORE_COMMANDS = [
    ("index", "docs"), ("query", "What?"), ("snapshots", "show"), ("snapshots", "gc"), ("snapshots", "rollback"),
    ("snapshots", "show", "--graph"), ("export", "graph.json"), ("entities", "x"),
]  # fmt: skip


@pytest.mark.parametrize("command", STORE_COMMANDS)
def test_a_store_that_is_a_file(fail: Fail, tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("The report ZSALES reads the table VBBS.")
    file = tmp_path / "file"
    file.write_text("")
    said = fail(*command, "--store", file)
    assert "is a file" in said or f"error: {file}: cannot be written to" in said


@pytest.mark.parametrize("command", STORE_COMMANDS)
def test_a_store_on_an_unknown_protocol(fail: Fail, tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "docs").mkdir()
    said = fail(*command, "--store", "foo://x")
    assert said.startswith("error: foo://x: is no path and no URI that is known")


def test_other_places(fail: Fail, store: Store, tmp_path: Path) -> None:
    assert "does not exist" in fail("index", "nowhere", "--store", "s")
    assert "foo://x" in fail("index", "foo://x", "--store", "s")
    assert "cannot be read" in fail("entities", "a", "--rename", "b", "--overrides", tmp_path)
    (tmp_path / "bad.yaml").write_bytes(b"same: [")
    assert "YAML" in fail("entities", "a", "--rename", "b", "--overrides", "bad.yaml")
    said = fail("entities", "a", "--rename", "b", "--overrides", "no/o.yaml")
    assert "no/o.yaml: cannot be written" in said
    Path(store.folder.path("CURRENT")).unlink()
    Path(store.folder.path("CURRENT")).mkdir()
    assert "CURRENT: cannot be read: Is a directory" in fail("query", "x")


def test_garbage_collection_on_a_store_that_cannot_be_written(
    fail: Fail, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process of root writes whatever the permissions are, so the system call is replaced."""
    real = os.open

    def refuse(path: str, flags: int, *rest: int, **more: int) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR) and str(path).startswith(store.folder.uri):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        return real(path, flags, *rest, **more)

    monkeypatch.setattr(os, "open", refuse)
    said = fail("snapshots", "gc", "--store", store.folder.uri)
    assert "the storage refuses: Read-only file system" in said
    assert "server" not in said


def test_a_folder_that_may_not_be_read(store: Store, monkeypatch: pytest.MonkeyPatch, fail: Fail) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), "x")

    fs, _ = file_system(store.folder.uri)
    monkeypatch.setattr(type(fs), "cat_file", refuse)
    monkeypatch.setattr(type(fs), "ls", refuse)
    for call in (lambda: store.folder.read_bytes("CURRENT"), store.snapshot_ids, store.open):
        with pytest.raises(ArtifactError, match="cannot be read: Permission denied"):
            call()
    assert "cannot be read: Permission denied" in fail("query", "x")


def test_an_error_of_the_system_is_one_line_too(fail: Fail, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files", "some/file")

    monkeypatch.setattr("graphrag_tasks.cli.snapshots.load_config", failing)
    assert fail("snapshots", "show") == "error: some/file: Too many open files"
