"""`plan --access`: who sees what, and which rule or file says so."""

import json
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
    assert "'labels' must be a list" in " ".join(
        re.sub(r"none: nobody sees it", " ", after).split()
    )


def test_json_has_every_document(folder: Path) -> None:
    found = json.loads(plan(folder, "--json"))["access"]
    assert [one["uri"] for one in found] == sorted(one["uri"] for one in found)
    rows = {one["uri"]: one for one in found}
    assert len(rows) == 4
    assert rows["docs/c.md"] == {
        "uri": "docs/c.md", "labels": [], "from": "access.default", "error": None,
    }  # fmt: skip
    assert "must be a list" in rows["docs/d.md"]["error"]


def test_many_documents_are_shown_by_folder(folder: Path) -> None:
    for number in range(60):
        (folder / "docs" / "Geha\u0308lter" / f"more{number}.md").write_text("text")
    printed = plan(folder)
    assert "docs/Geha\u0308lter/ (61)" in printed
    assert "docs/Geha\u0308lter/b.md" in printed
    assert "more7.md" not in printed
    assert len(json.loads(plan(folder, "--json"))["access"]) == 64


def test_where_labels_are_off_everybody_sees_everything(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("text")
    (tmp_path / "graphrag.toml").write_text('[load]\nvector_store = "none"\n')
    assert "off: everybody sees it" in plan(tmp_path)


def test_a_rule_that_fits_nothing_stops_the_plan(folder: Path) -> None:
    (folder / "graphrag.toml").write_text(RULES.replace("Geh\u00e4lter", "personnel"), "utf-8")
    with pytest.raises(AccessError, match="it fits no document"):
        plan(folder)
