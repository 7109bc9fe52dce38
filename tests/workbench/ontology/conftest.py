"""A small corpus with tables, transactions and reports, indexed once, and its questions."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from graphrag_tasks.core.config import Config
from graphrag_tasks.retrieval import Index, open_index
from tests.corpora import configured, made

TEXTS = {
    "tables.md": "# Tables\n\nThe table VBBE replaced the table VBBS. The table PRCD_ELEMENTS "
    "replaced the table KONV. The table MATDOC replaced the table MSEG.\n",
    "reports.md": "# Reports\n\nThe report ZSALES reads the table VBBS. The report ZPRICE reads "
    "the table KONV. The report ZSTOCK reads the table MSEG.\n",
    "transactions.md": "# Transactions\n\nThe transaction MIGO replaced the transaction MB1A. "
    "The transaction BP replaced the transaction FK01.\n",
    "secret.md": "# Salaries\n\nThe report ZPAYROLL encrypts the table PA0008.\n",
}

QUESTIONS = (
    "What replaced the table VBBS?",
    "Which table replaced KONV?",
    "Which report reads the table VBBS?",
    "Which transaction replaced MB1A?",
)


def settings(store: Path, **overrides: object) -> Config:
    return configured(store.parent, **overrides)


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ontology")
    made(folder, TEXTS)
    return folder


@pytest.fixture(scope="session")
def index(made_once: Path) -> Index:
    return open_index(made_once / "store")


@pytest.fixture
def store(made_once: Path, tmp_path: Path) -> Path:
    """A copy of the corpus and its store, for a test to change."""
    shutil.copytree(made_once, tmp_path / "copy")
    return tmp_path / "copy" / "store"
