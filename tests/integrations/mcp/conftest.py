"""A store of a real document, which the real models search."""

from pathlib import Path

import pytest

import graphrag_tasks

TEXT = "# Ledger\n\nTable ACDOCA replaces table BSEG. The report ZFIN reads table ACDOCA.\n"


@pytest.fixture(scope="package")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store; tests only read it."""
    folder = tmp_path_factory.mktemp("ledger")
    (folder / "docs").mkdir()
    (folder / "docs" / "ledger.md").write_text(TEXT)
    graphrag_tasks.index(folder / "docs", folder / "store", load={"vector_store": "none"})
    return folder / "store"
