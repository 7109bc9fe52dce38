"""What people keep beside documents: read, kept through increments, searched by."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graphrag_tasks.cli import app
from graphrag_tasks.core.config import Config, load_config
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.pipeline import look_ahead
from graphrag_tasks.retrieval import Index, open_index

TEXT = "# {name}\n\nThe budget of {name} is approved by the board. The clerk files the receipts.\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    (made / "reports").mkdir(parents=True)
    for name in ("plan.md", "reports/north.md", "reports/south.md"):
        (made / name).write_text(TEXT.format(name=name.removesuffix(".md")))
    (made / "metadata.csv").write_text(
        "path,Department,date\nreports/*.md,finance,2024-03-01\ngone.md,x,\n\n"
    )
    (made / "reports/metadata.csv").write_text("path,region\nsouth.md,south\n")
    (made / "reports/south.md.meta.yaml").write_text(
        "department: sales\ndate: 2025-01-01\ntags: [a, b]\nmore: {x: 1}\n"
    )
    return made


def settings(corpus: Path) -> Config:
    overrides: dict[str, Any] = {
        "store": str(corpus.parent / "store"), "sources": [str(corpus)],
        "load": {"vector_store": "none"},
    }  # fmt: skip
    return load_config(overrides=overrides, environ={})


def index(corpus: Path) -> Index:
    run_index(settings(corpus), workers=1)
    return open_index(str(corpus.parent / "store"))


def metadata(index: Index) -> dict[str, list[tuple[str, str]]]:
    return {
        row["path"]: [(one["key"], one["value"]) for one in row["metadata"] or ()]
        for row in index.snapshot.table("documents").to_pylist()
    }


def paths(index: Index, **filters: str) -> set[str]:
    found = index.search("Who approves the budget?", k=10, filters=filters)
    return {chunk.uri.removeprefix("docs/") for chunk in found.chunks}


def test_metadata_are_read_and_filter_searches(corpus: Path) -> None:
    opened = index(corpus)
    rows = metadata(opened)
    assert set(rows) == {"plan.md", "reports/north.md", "reports/south.md", "metadata.csv"}
    assert rows["plan.md"] == []
    assert rows["reports/south.md"] == [
        ("date", "2025-01-01"), ("department", "sales"), ("region", "south"), ("tags", "a"),
        ("tags", "b"),
    ]  # fmt: skip
    assert paths(opened, department="Finance") == {"reports/north.md"}
    assert paths(opened, date="<2025") == {"reports/north.md"}
    assert paths(opened, tags="b", region="s*") == {"reports/south.md"}
    with pytest.raises(QueryError, match=r"no field 'departmnt'.*'department'"):
        opened.search("budget", filters={"departmnt": "x"})


def test_a_change_of_metadata_alone_reads_no_document_again(corpus: Path) -> None:
    index(corpus)
    (corpus / "reports/south.md.meta.yaml").write_text("department: legal\n")
    outlook = look_ahead(settings(corpus))
    assert (outlook.up_to_date, outlook.stats["shards"]) == (False, 0)
    assert paths(index(corpus), department="legal") == {"reports/south.md"}


def test_what_stands_beside_a_file_wins_over_its_own_words(corpus: Path) -> None:
    text = "---\ndate: 2020-02-02\nstate: draft\n---\n" + TEXT.format(name="south")
    (corpus / "reports/south.md").write_text(text)
    assert ("date", "2025-01-01") in metadata(index(corpus))["reports/south.md"]
    (corpus / "reports/south.md.meta.yaml").unlink()
    (corpus / "metadata.csv").unlink()
    assert look_ahead(settings(corpus)).stats["shards"] == 0  # what the file says is known
    own = metadata(index(corpus))["reports/south.md"]
    assert own == [("date", "2020-02-02"), ("region", "south"), ("state", "draft")]


def test_metadata_of_documents_that_are_not_there_are_named(corpus: Path) -> None:
    (corpus / "gone.pdf.meta.yaml").write_text("department: sales\n")
    rows = "".join(f"gone{one}.md,x,\n" for one in range(30))
    (corpus / "reports/metadata.csv").write_text(f"path,region\nsouth.md,s\n*.pdf,n\n{rows}")
    opened = index(corpus)
    store = str(corpus.parent / "store")
    shown = CliRunner().invoke(app, ["documents", "--problems", "--store", store]).stdout
    for words in (
        "skipped, metadata: 3 (no_document)", "no such document: row 3 (gone.md)",
        "no such document: gone.pdf", "docs/gone.pdf.meta.yaml",
        "row 3 (*.pdf), row 4 (gone0.md)", "and 11 more",
    ):  # fmt: skip
        assert words in shown, shown
    assert paths(opened, region="s") == {"reports/south.md"}
    (corpus / "metadata.csv").write_text("path,department\nreports/*.md,finance\n")
    assert "metadata.csv" not in metadata(index(corpus))


def test_what_is_no_metadata_is_told_or_read_as_a_document(
    corpus: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (corpus / "metadata.csv").write_text("name,price\nbolt,3\n")
    (corpus / "reports/south.md.meta.yaml").write_text("- a\n- b\n")
    (corpus / "reports/north.md.meta.yaml").write_text("[" * 5_000)
    (corpus / "plan.md.meta.yaml").write_text("".join(f"k{one}: {one}\n" for one in range(10_000)))
    with caplog.at_level(logging.WARNING):
        opened = index(corpus)
    rows = metadata(opened)
    assert set(rows) == {"plan.md", "metadata.csv", "reports/north.md", "reports/south.md"}
    assert rows["reports/south.md"] == [("region", "south")]
    assert len(rows["plan.md"]) == 100
    told = caplog.text
    assert "south.md.meta.yaml are not read: it is no mapping" in told
    assert "north.md.meta.yaml are not read" in told
    assert "has 10000 keys" in told
