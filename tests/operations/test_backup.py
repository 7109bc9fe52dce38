"""A copy of a store that is made while a run publishes is whole, and is read elsewhere.

It is made by the commands of docs/how-to/operations.md.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.config import Config, load_config
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.retrieval import open_index
from graphrag_tasks.storage.snapshots.store import Store

ROOT = Path(__file__).parents[2]
LEFT_OUT = ("staging", "milvus", ".lock", "CURRENT")


def configure(store: Path, source: Path, **overrides: Any) -> Config:
    base = {"store": str(store), "sources": [f"docs={source}"], "load": {"vector_store": "none"}, "plan": {"parts": 1}}
    return load_config(overrides=base | overrides, environ={})


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A store, the same store after a second run, and its source."""
    folder = tmp_path_factory.mktemp("backup")
    source, store, later = folder / "docs", folder / "store", folder / "later"
    source.mkdir()
    (source / "a.txt").write_text("SAP replaced the table VBBS with the table VBBE.\n")
    run_index(configure(store, source), workers=1)
    shutil.copytree(store, later)
    (source / "b.txt").write_text("The report ZSALES reads the table VBBS.\n")
    run_index(configure(later, source), workers=1)
    return store, later, source


@pytest.fixture
def store(published: tuple[Path, Path, Path], tmp_path: Path) -> Path:
    copy = tmp_path / "store"
    shutil.copytree(published[0], copy)
    (copy / "staging" / "runs" / "of tonight").mkdir(parents=True)
    return copy


def publish_later(store: Path, later: Path) -> None:
    """Publish what the second run did: its snapshot, then the pointer."""
    shutil.copytree(later / "snapshots", store / "snapshots", dirs_exist_ok=True)
    shutil.copy(later / "CURRENT", store / "CURRENT")


def commands(file_system: str) -> str:
    """Return the commands of the page for a store on a disk, or in S3."""
    page = (ROOT / "docs" / "how-to" / "operations.md").read_text("utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    (found,) = [one for one in blocks if file_system in one]
    return str(found)


def test_the_pages_commands_copy_a_store(published: tuple[Path, Path, Path], store: Path, tmp_path: Path) -> None:
    if shutil.which("rsync") is None:
        pytest.skip("rsync is not installed")
    backup, programs = tmp_path / "backup", tmp_path / "bin"
    programs.mkdir()
    # A run publishes just before the files are copied, when the pointer has been read.
    (programs / "rsync").write_text(
        f'#!/bin/sh\ncp -r "{published[1]}/snapshots/." "{store}/snapshots/"\n'
        f'cp "{published[1]}/CURRENT" "{store}/CURRENT"\nexec {shutil.which("rsync")} "$@"\n'
    )
    (programs / "rsync").chmod(0o755)
    (programs / "graphrag-tasks").write_text("#!/bin/sh\nexit 0\n")
    (programs / "graphrag-tasks").chmod(0o755)
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    subprocess.run(  # noqa: S603
        ["/bin/sh", "-eu", "-c", commands("rsync")],
        env=os.environ | {"PATH": path, "STORE": str(store), "BACKUP": str(backup)}, check=True,
    )  # fmt: skip
    assert Store(str(store)).current_id() == Store(str(published[1])).current_id()
    copied = Store(str(backup))
    assert copied.current_id() == Store(str(published[0])).current_id()
    copied.open().verify()
    assert not [name for name in LEFT_OUT[:3] if (backup / name).exists()]


def copied_while(store: Path, backup: Path, later: Path) -> None:
    """Copy all but the pointer; half way, another run publishes."""
    begun: list[str] = []

    def copy(source: str, target: str) -> str:
        begun.append(source)
        if len(begun) == 3:
            publish_later(store, later)
        return str(shutil.copy2(source, target))

    shutil.copytree(store, backup, copy_function=copy, ignore=lambda at, names: set(names) & set(LEFT_OUT))
    assert len(begun) >= 3


def test_a_restored_store_is_read_and_goes_on(published: tuple[Path, Path, Path], store: Path, tmp_path: Path) -> None:
    backup, elsewhere = tmp_path / "backup", tmp_path / "elsewhere"
    current = (store / "CURRENT").read_text()
    copied_while(store, backup, published[1])
    (backup / "CURRENT").write_text(current)
    shutil.copytree(backup, elsewhere)
    restored = Store(str(elsewhere))
    restored.open().verify()
    found = open_index(elsewhere).search("Which table replaces VBBS?")
    assert "SAP replaced the table VBBS with the table VBBE." in found.to_prompt()
    done = run_index(configure(elsewhere, published[2]), workers=1)
    assert done.changed
    assert done.manifest.tables == Store(str(published[1])).open().manifest.tables
