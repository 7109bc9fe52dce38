"""What people keep beside documents: read, kept through increments, searched by."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

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


def paths(index: Index, **filters: str) -> set[str]:
    found = index.search("Who approves the budget?", k=10, filters=filters)
    return {chunk.uri.removeprefix("docs/") for chunk in found.chunks}


def test_metadata_are_read_and_filter_searches(corpus: Path) -> None:
    opened = index(corpus)
    rows = {row["path"]: row["metadata"] for row in opened.snapshot.table("documents").to_pylist()}
    assert set(rows) == {"plan.md", "reports/north.md", "reports/south.md"}
    assert rows["plan.md"] is None
    assert rows["reports/south.md"] == [
        {"key": "date", "value": "2025-01-01"}, {"key": "department", "value": "sales"},
        {"key": "region", "value": "south"}, {"key": "tags", "value": "a"},
        {"key": "tags", "value": "b"},
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


def test_what_is_no_metadata_is_told_or_read_as_a_document(
    corpus: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (corpus / "metadata.csv").write_text("name,price\nbolt,3\n")
    (corpus / "reports/south.md.meta.yaml").write_text("- a\n- b\n")
    (corpus / "reports/north.md.meta.yaml").write_text("[" * 5_000)
    (corpus / "plan.md.meta.yaml").write_text("".join(f"k{one}: {one}\n" for one in range(10_000)))
    with caplog.at_level(logging.WARNING):
        opened = index(corpus)
    rows = {row["path"]: row["metadata"] for row in opened.snapshot.table("documents").to_pylist()}
    assert set(rows) == {"plan.md", "metadata.csv", "reports/north.md", "reports/south.md"}
    assert rows["reports/south.md"] == [{"key": "region", "value": "south"}]
    assert len(rows["plan.md"]) == 100
    told = caplog.text
    assert "south.md.meta.yaml are not read: it is no mapping" in told
    assert "north.md.meta.yaml are not read" in told
    assert "has 10000 keys" in told
