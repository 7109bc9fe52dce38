"""Small corpora, indexed for real: real parser, real models, one process."""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.config import Config
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.pipeline import Published
from graphrag_tasks.pipeline import run as run_module
from graphrag_tasks.pipeline.inputs import call
from graphrag_tasks.pipeline.stages import AnyStage
from tests.corpora import configured

TEXTS = {
    "tables.md": "# Table changes\n\nSAP replaced the table VBBS with the table VBBE. "
    "The table KONV was replaced by PRCD_ELEMENTS.\n",
    "reports.md": "# Reports\n\nThe report ZSALES reads the table VBBS. The transaction MD04 shows the requirements.\n",
    "note.txt": "The check finds obsolete tables in custom code.\n",
}

Indexer = Callable[..., Published]


def write_corpus(folder: Path) -> Path:
    """Write three small documents, and return their folder."""
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Three small documents."""
    return write_corpus(tmp_path / "corpus")


@pytest.fixture
def configure(tmp_path: Path, corpus: Path) -> Callable[..., Config]:
    """Return configurations on the corpus."""
    return partial(configured, tmp_path)


@pytest.fixture
def index(configure: Callable[..., Config]) -> Indexer:
    """Run the whole pipeline in this process."""

    def run(workers: int = 1, **overrides: Any) -> Published:
        return run_index(configure(**overrides), workers=workers)

    return run


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Published]:
    """A store of the three documents, and what was published there."""
    folder = tmp_path_factory.mktemp("made-once")
    write_corpus(folder / "corpus")
    return folder / "store", run_index(configured(folder), workers=1)


@pytest.fixture
def indexed(made_once: tuple[Path, Published], corpus: Path, tmp_path: Path) -> Published:
    """What a first run on the corpus published; the test's store is a copy of it."""
    store, published = made_once
    shutil.copytree(store, tmp_path / "store")
    return published


@pytest.fixture
def worked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the stages that did work, in order."""
    done: list[str] = []

    def noted(stage: AnyStage, *arguments: Any) -> Any:
        done.append(stage.name)
        return call(stage, *arguments)

    monkeypatch.setattr(run_module, "call", noted)
    return done
