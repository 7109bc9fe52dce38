"""Small corpora, indexed for real: real parser, real models, one process."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.config import Config, load_config
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.pipeline import Published
from graphrag_tasks.pipeline import run as run_module
from graphrag_tasks.pipeline.inputs import call
from graphrag_tasks.pipeline.stages import AnyStage

TEXTS = {
    "tables.md": "# Table changes\n\nSAP replaced the table VBBS with the table VBBE. "
    "The table KONV was replaced by PRCD_ELEMENTS.\n",
    "reports.md": "# Reports\n\nThe report ZSALES reads the table VBBS. "
    "The transaction MD04 shows the requirements.\n",
    "note.txt": "The check finds obsolete tables in custom code.\n",
}

Indexer = Callable[..., Published]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Three small documents."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def configure(tmp_path: Path, corpus: Path) -> Callable[..., Config]:
    """Return configurations on the corpus, without a vector server."""

    def make(**overrides: Any) -> Config:
        base = {
            "store": str(tmp_path / "store"),
            "sources": [str(corpus)],
            "load": {"vector_store": "none"},
        }
        return load_config(overrides=base | overrides, environ={})

    return make


@pytest.fixture
def index(configure: Callable[..., Config]) -> Indexer:
    """Run the whole pipeline in this process."""

    def run(workers: int = 1, **overrides: Any) -> Published:
        return run_index(configure(**overrides), workers=workers)

    return run


@pytest.fixture
def worked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the stages that did work, in order."""
    done: list[str] = []

    def noted(stage: AnyStage, *arguments: Any) -> Any:
        done.append(stage.name)
        return call(stage, *arguments)

    monkeypatch.setattr(run_module, "call", noted)
    return done
