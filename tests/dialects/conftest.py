"""The ten repositories, indexed once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from repositories import REPOSITORIES, Page, Repository

from graphrag_tasks.config import load_config
from graphrag_tasks.runner import run_index
from graphrag_tasks.snapshots import Snapshot, Store


@dataclass(frozen=True)
class World:
    """What was published of the repositories.

    Attributes:
        snapshot: Its tables.
        documents: Rows of `documents` by uri.
        blocks: Blocks by uri, in order.
    """

    snapshot: Snapshot
    documents: Mapping[str, dict[str, Any]]
    blocks: Mapping[str, list[dict[str, Any]]]


def write(repository: Repository, root: Path) -> Path:
    """Write the files of a repository below a folder, and return that."""
    for path, page in repository.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page.text if isinstance(page, Page) else page)
    return root


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
