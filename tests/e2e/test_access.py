"""Access labels from the files of a corpus to what a question finds."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphrag_tasks.cli import app
from graphrag_tasks.config import Config
from graphrag_tasks.errors import AccessError
from graphrag_tasks.pipeline import Run, look_ahead
from graphrag_tasks.retrieval import open_index
from graphrag_tasks.snapshots import Store

ACCESS = {"enabled": True, "rules": [{"path": "tables.md", "labels": ["dba"]}]}


def answers(folder: Path, *principals: str) -> set[str]:
    found = open_index(folder, principals=principals).search("Which table replaced VBBS?", k=9)
    return {chunk.uri for chunk in found.chunks}


def test_a_change_of_labels_alone_is_published_without_parsing_anew(
    tmp_path: Path, corpus: Path, index: Callable[..., object], configure: Callable[..., Config]
) -> None:
    store = tmp_path / "store"
    index(access=ACCESS)
    assert answers(store, "dba") == {"corpus/tables.md"}
    assert answers(store, "sales") == set()
    query = ["query", "Which table replaced VBBS?", "--store", str(store), "--mode", "bm25"]
    assert "tables.md" in CliRunner().invoke(app, [*query, "--as", "sales", "--as", "dba"]).stdout
    assert "tables.md" not in CliRunner().invoke(app, [*query, "--as", "sales"]).stdout
    with pytest.raises(AccessError, match="no principals are given"):
        CliRunner().invoke(app, query, catch_exceptions=False)
    first = Store(str(store)).current_id()

    (corpus / "tables.md.access.yaml").write_text("labels: [board]")
    (corpus / "reports.md.access.yaml").write_text("labels: [sales]")
    outlook = look_ahead(configure(access=ACCESS))
    assert not outlook.up_to_date
    assert outlook.stats["shards"] == 0
    assert outlook.stages["collect"] == "documents or their access labels changed"
    run, _ = Run.start(configure(access=ACCESS))
    assert run.shards == []
    index(access=ACCESS)
    assert Store(str(store)).current_id() != first
    assert answers(store, "dba") == set()
    assert answers(store, "board") == {"corpus/tables.md"}
    assert answers(store, "sales") == {"corpus/reports.md"}

    (corpus / "reports.md.access.yaml").write_text("labels: sales")
    index(access=ACCESS)
    assert answers(store, "sales") == set()
    (row,) = Store(str(store)).open().find_rows("documents", "path", "reports.md").to_pylist()
    assert (row["status"], row["labels"]) == ("parsed", [])
    assert "'labels' must be a list" in row["labels_error"]
