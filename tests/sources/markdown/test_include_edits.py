"""An index whose included files change is what a clean build gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphrag_tasks.core.config import load_config
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.pipeline import Published
from graphrag_tasks.storage.snapshots.store import Store
from tests.sources.markdown.repositories import DOCFX, write


def index(root: Path, store: Path) -> Published:
    """Index a folder."""
    overrides = {"store": str(store), "sources": [str(root)], "load": {"vector_store": "none"}}
    return run_index(load_config(overrides=overrides, environ={}))


def hashes(published: Published) -> dict[str, str]:
    """Return the hash of every table."""
    return {name: table.sha256 for name, table in published.manifest.tables.items()}


@pytest.mark.slow
def test_editing_an_included_file_is_a_clean_build(tmp_path: Path) -> None:
    root = write(DOCFX, tmp_path / "docfx")
    index(root, tmp_path / "store")
    (root / "docs/includes/prod_short.md").write_text("Spruce Depot\n")
    (root / "docs/includes/not-there.md").write_text("The clerk checks it.\n")
    edited = index(root, tmp_path / "store")
    stats = edited.manifest.stats["by_stage"]["plan"]
    assert (stats["changed"], stats["added"], stats["unchanged"]) == (4, 1, 2)  # its own row, too
    texts = "\n".join(Store(str(tmp_path / "store")).open().table("chunks")["text"].to_pylist())
    assert "Spruce Depot Online reserves bins" in texts
    assert "The clerk checks it." in texts
    assert "Larch Warehouse checks" not in texts
    # A page that includes nothing any more gives the file back to the documents.
    for page in ("receive-goods", "ship-goods", "count-stock"):
        (root / f"docs/{page}.md").write_text("# Nothing\n\nThe page includes nothing.\n")
    given_back = index(root, tmp_path / "store")
    assert hashes(given_back) == hashes(index(root, tmp_path / "clean"))
