"""One small published snapshot, and an index opened on it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from graphrag_tasks.retrieval import Index, open_index
from tests.embed.conftest import tiny_weights, write_model
from tests.retrieval.small_worlds import SMALL, FakeEmbedder, publish

__all__ = ["index", "store", "tiny_weights", "write_model"]


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small snapshot, published once."""
    folder = tmp_path_factory.mktemp("small")
    publish(folder / "store", SMALL)
    return folder / "store"


@pytest.fixture
def store(small: Path, tmp_path: Path) -> Path:
    return shutil.copytree(small, tmp_path / "store")


@pytest.fixture
def index(store: Path) -> Index:
    return open_index(store, embedder=FakeEmbedder(), noun_phrases=lambda _: ["The  Print Server", "print server"])
