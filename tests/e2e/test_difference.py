"""`snapshots diff`: what was gained, lost and changed between two snapshots."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphrag_tasks.cli import app
from graphrag_tasks.operations.diff import Changes, difference
from graphrag_tasks.pipeline import Published
from graphrag_tasks.snapshots.store import Store

Indexer = Callable[..., Published]


@pytest.mark.usefixtures("indexed")
def test_documents_entities_and_relations_are_compared(
    index: Indexer, corpus: Path, tmp_path: Path
) -> None:
    (corpus / "note.txt").unlink()
    (corpus / "new.txt").write_text("The transaction MD04 shows the stock.\n")
    (corpus / "reports.md").write_text("# Reports\n\nThe report ZSALES reads the table VBBS.\n")
    index()
    store = Store(str(tmp_path / "store"))
    before, after = (store.open(one) for one in store.snapshot_ids())
    changes = difference(before, after)
    assert changes["documents"] == Changes(
        gained=("corpus/new.txt",), lost=("corpus/note.txt",), changed=("corpus/reports.md",)
    )
    assert "stock" in " ".join(changes["entities"].gained)
    assert any("requirements" in one for one in changes["relations"].lost)
    assert difference(after, after)["entities"] == Changes((), ())

    shown = CliRunner().invoke(
        app, ["snapshots", "diff", before.snapshot_id, "--store", store.folder.uri]
    )
    assert shown.exit_code == 0, shown.output
    assert "corpus/new.txt" in shown.stdout
