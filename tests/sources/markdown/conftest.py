"""The ten repositories, indexed once."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from graphrag_tasks.core.config import load_config
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.storage.snapshots.store import Store
from tests.sources.markdown.repositories import REPOSITORIES, World, write


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The ten repositories, each a source of one index."""
    root = tmp_path_factory.mktemp("dialects")
    sources = [str(write(repository, root / name)) for name, repository in REPOSITORIES.items()]
    store = root / "store"
    overrides = {"store": str(store), "sources": sources, "load": {"vector_store": "none"}}
    run_index(load_config(overrides=overrides, environ={}))
    snapshot = Store(str(store)).open()
    rows = snapshot.table("documents").to_pylist()
    uris = {row["document_id"]: row["uri"] for row in rows}
    blocks: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for block in snapshot.table("blocks").to_pylist():
        blocks[uris[block["document_id"]]].append(block)
    return World(snapshot, {row["uri"]: row for row in rows}, blocks)
