"""Access labels from the files of a corpus to what a question finds."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graphrag_tasks.cli import app
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import AccessError, SnapshotError
from graphrag_tasks.core.schemas import CLUSTER_TABLES
from graphrag_tasks.pipeline import Run, look_ahead
from graphrag_tasks.retrieval import open_index
from graphrag_tasks.retrieval.view.visibility import ALL_DOCUMENTS
from graphrag_tasks.storage.snapshots.store import ARROW_TABLES, SNAPSHOT_TABLES, Store
from tests.llm.endpoint import scripted

SHARED = """# Gateway

The **Gateway** replaced the Spooler in 2019. It reads the table VBBS. The Gateway needs the Driver.
The Driver supports the Gateway. The migration report lists all objects of table VBBS. It replaces
transaction SE38. See [the plan](merger%20plan.md#plan) and [all tables](tables.md).

| Tool | Size |
|---|---|
| Gateway | 7 |

* Driver: reads the Spooler.
"""
HIDDEN = """# Zephyrion plan

The Zephyrion Gateway (ZG) funds Quorumex. The Gateway threatens Quorumex. The gateway serves
Zephyrion. See [the gateway](gateway.md) and [tables](tables.md).
"""
RELEASES = {
    f"guide-{release}.md": f"# Guide\n\nThe gateway listens on port {port}. A clerk opens the gate."
    for release, port in (("1.0", 5150), ("2.0", 5151))
}
"""Two versions of a document, with a changed statement."""
TABLES = sorted({*SNAPSHOT_TABLES, *ARROW_TABLES})

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
    assert outlook.stages["merge_shards"] == "documents or their access labels changed"
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


def texts(value: Any) -> Iterator[str]:
    """Yield every text in a row, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from texts([*value.values()])
    elif isinstance(value, list):
        for one in value:
            yield from texts(one)


def test_no_table_names_a_hidden_document(tmp_path: Path, corpus: Path, index: Callable[..., object]) -> None:
    """Every table of a snapshot is refused, or holds rows of which none has a hidden text."""
    (corpus / "gateway.md").write_text(SHARED)
    (corpus / "merger plan.md").write_text(HIDDEN)
    for name, text in RELEASES.items():
        (corpus / name).write_text(text)
    (corpus / "metadata.csv").write_text("path,owner\nmerger*,quorumex\nguide*,docs team\n")
    hidden_rule = {"path": "merger*", "labels": ["board"]}
    with scripted() as endpoint:
        index(
            access={"enabled": True, "rules": [hidden_rule, {"path": "**", "labels": ["staff"]}]},
            extract={"extractor": "llm"},
            llm={"base_url": endpoint.url, "model": "m", "budget": {"usd": 0}},
        )
    store = tmp_path / "store"
    whole = open_index(store, principals=ALL_DOCUMENTS).snapshot
    row = whole.document("corpus/merger plan.md")
    hidden = [row["document_id"], row["uri"], row["path"], row["title"], "erger plan"]
    hidden += ["zephyrion", "quorumex", "(zg)"]
    for name in ("chunks", "sentences", "triples", "frames"):
        found = whole.rows_of_document(name, row["document_id"])
        hidden += [found_row[f"{name.removesuffix('s')}_id"] for found_row in found]

    seen = open_index(store, principals=["staff"]).snapshot
    refused, empty, named = [], [], {}
    for name in TABLES:
        try:
            rows = seen.table(name).to_pylist()
        except AccessError:
            refused.append(name)
            continue
        if not rows:
            empty.append(name)
        said = "\n".join(texts(rows)).casefold()
        if found := [text for text in hidden if text.casefold() in said]:
            named[name] = found
    assert named == {}
    assert refused == [
        "edges", "entity_rows", "evidence_rows", "mapped_entities", "mapped_relations", "merges",
        "names", "nodes", "resolved", "surface_forms",
    ]  # fmt: skip
    # Clusters rest on all chunks, so who sees some of them gets none.
    assert empty == sorted(CLUSTER_TABLES), "Let a document here have rows of this table"
    with pytest.raises(SnapshotError, match="there is no document") as caught:
        seen.document("corpus/merger plan.md")
    assert "merger plan" not in caught.value.hint
