"""`snapshots show --since`: what was gained, lost and changed between two snapshots."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphrag_tasks.cli import app
from graphrag_tasks.operations.documents import Changes, difference
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.pipeline import Published
from graphrag_tasks.storage.snapshots.store import Store
from tests.corpora import configured
from tests.e2e.conftest import write_corpus


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, made_once: tuple[Path, Published]) -> Store:
    """A store of two snapshots."""
    folder = tmp_path_factory.mktemp("two")
    shutil.copytree(made_once[0], folder / "store")
    corpus = write_corpus(folder / "corpus")
    (corpus / "note.txt").unlink()
    (corpus / "new.txt").write_text("The transaction MD04 shows the stock. Plant A uses MD04.\n")
    (corpus / "reports.md").write_text("# Reports\n\nThe report ZSALES reads the table VBBS.\n")
    run_index(configured(folder), workers=1)
    return Store(str(folder / "store"))


def test_documents_entities_and_relations_are_compared(store: Store) -> None:
    before, after = (store.open(one) for one in store.snapshot_ids())
    changes = difference(before, after)
    assert changes["documents"] == Changes(
        gained=("corpus/new.txt",), lost=("corpus/note.txt",), changed=("corpus/reports.md",)
    )
    assert "stock" in " ".join(changes["entities"].gained)
    assert any("requirements" in one for one in changes["relations"].lost)
    assert difference(after, after)["entities"] == Changes((), ())

    wanted = ["snapshots", "show", "--since", before.snapshot_id, "--store", store.folder.uri]
    shown = CliRunner().invoke(app, wanted)
    assert shown.exit_code == 0, shown.output
    assert "corpus/new.txt" in shown.stdout
