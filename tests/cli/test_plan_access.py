"""`plan --access`: who sees what, and which rule or file says so."""

import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from graphrag_tasks.cli import app
from graphrag_tasks.core.errors import AccessError

RULES = """
[load]
vector_store = "none"
[access]
enabled = true
[[access.rules]]
path = "Geh\u00e4lter/**"
labels = ["hr", "board"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "graphrag.toml").write_text(RULES, "utf-8")
    (tmp_path / "docs" / "Geha\u0308lter").mkdir(parents=True)
    for name in ("Geha\u0308lter/a.md", "Geha\u0308lter/b.md", "c.md", "d.md"):
        (tmp_path / "docs" / name).write_text("text")
    (tmp_path / "docs" / "Geha\u0308lter" / "b.md.access.yaml").write_text("labels: [board]")
    (tmp_path / "docs" / "d.md.access.yaml").write_text("labels: board")
    return tmp_path


def plan(folder: Path, *more: str) -> str:
    settings = ("--store", str(folder / "store"), "--config", str(folder / "graphrag.toml"))
    arguments = ["index", "--dry-run", f"docs={folder / 'docs'}", *settings, "--access", *more]
    result = CliRunner(env={"COLUMNS": "80"}).invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_the_table_says_who_sees_each_document_and_why(folder: Path) -> None:
    printed = plan(folder)
    assert max(map(cell_len, printed.splitlines())) <= 80
    cells = [re.split(r"\s{2,}", line.strip()) for line in printed.splitlines()]
    assert ["docs/Geha\u0308lter/a.md", "board, hr", "rule 1: Geh\u00e4lter/**"] in cells
    assert ["docs/Geha\u0308lter/b.md", "board", "Geha\u0308lter/b.md.access.yaml"] in cells
    assert "none: nobody sees it" in printed
    assert "access.default" in printed
    after = printed[printed.index("docs/d.md") :]
    assert "'labels' must be a list" in " ".join(re.sub(r"none: nobody sees it", " ", after).split())


def test_a_rule_that_fits_nothing_stops_the_plan(folder: Path) -> None:
    (folder / "graphrag.toml").write_text(RULES.replace("Geh\u00e4lter", "personnel"), "utf-8")
    with pytest.raises(AccessError, match="it fits no document"):
        plan(folder)
