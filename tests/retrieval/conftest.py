"""One small published snapshot, and an index opened on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphrag_tasks.retrieval import Index, open_index
from tests.embed.conftest import tiny_weights, write_model
from tests.retrieval.small_worlds import SMALL, FakeEmbedder, publish

__all__ = ["index", "store", "tiny_weights", "write_model"]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    publish(tmp_path / "store", SMALL)
    return tmp_path / "store"


@pytest.fixture
def index(store: Path) -> Index:
    return open_index(
        store, embedder=FakeEmbedder(), noun_phrases=lambda _: ["The  Print Server", "print server"]
    )
