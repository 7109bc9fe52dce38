"""Snapshots that the tests of pages share."""

from pathlib import Path

import pytest

from graphrag_tasks.core.config import Config
from graphrag_tasks.operations.runner import run_index
from tests.corpora import configured, made, write
from tests.inspect.parts import BOARD_AND_STAFF, HIDDEN, made_once

DROPS = {"plan": {"allow_mass_delete": True}, "quality": {"allow_drop": True}, "communities": {"resolutions": [0.01]}}
LABELS = {"access": {"enabled": True, "rules": BOARD_AND_STAFF}}
TABLES = "# Table changes\n\nThe table VBBE replaces the table VBBS.\n"


@pytest.fixture(scope="session")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """Two snapshots of three documents, the second with another one and without a note."""

    def make(folder: Path) -> None:
        note = "The report ZSALES reads the table VBBS.\n"
        odd = "# <script>alert(1)</script>\n\nThe <b>Gateway</b> needs VBBS.\n"
        config = made(folder, {"tables.md": TABLES, "note.txt": note, "odd.md": odd}, **DROPS)
        (folder / "corpus" / "note.txt").unlink()
        write(folder, {"more.txt": "The transaction MD04 shows the table VBBE.\n"})
        run_index(config, workers=1)

    return configured(made_once("pages", make, tmp_path_factory.mktemp("pages")), **DROPS)


@pytest.fixture(scope="session")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """Two snapshots with labels: the second has one more document for the board alone."""

    def make(folder: Path) -> None:
        config = made(folder, {"tables.md": TABLES}, **LABELS)
        write(folder, {f"board/{HIDDEN}.txt": f"{HIDDEN} buys the table VBBS.\n"})
        run_index(config, workers=1)

    return configured(made_once("labelled-pages", make, tmp_path_factory.mktemp("labelled")), **LABELS)
