"""`index --dry-run`: what a run would do, said before it does it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphrag_tasks.cli import app
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.schemas import REMOVED
from graphrag_tasks.pipeline import CORPUS_STAGES, SHARD_STAGES, look_ahead


def test_nothing_is_written_before_the_first_run(configure: Callable[..., Config], tmp_path: Path) -> None:
    outlook = look_ahead(configure())
    assert outlook.stats == {
        "added": 3, "changed": 0, "unchanged": 0, "removed": 0, "shards": 1,
        "files_passed_over": 0,
    }  # fmt: skip
    assert outlook.stages["parse"] == "nothing is published that rows can be taken over from"
    assert not (tmp_path / "store").exists()


@pytest.mark.usefixtures("indexed")
def test_the_reason_is_the_first_thing_that_changed(configure: Callable[..., Config], corpus: Path) -> None:
    current = look_ahead(configure())
    assert (current.up_to_date, set(current.stages.values())) == (True, {None})

    late = look_ahead(configure(communities={"resolutions": [0.5, 4.0]}))
    assert late.stages == dict.fromkeys([*SHARD_STAGES, *CORPUS_STAGES], None) | {
        "communities": "its settings, code, models or libraries changed",
        "embed": "after communities",
        "load": "after communities",
    }
    early = look_ahead(configure(chunk={"max_characters": 500}))
    assert (early.stages["parse"], early.stages["merge_shards"]) == (None, "after chunk")
    assert early.stages["chunk"] == "its settings, code, models or libraries changed"
    assert early.stats["changed"] == 3
    again = look_ahead(configure(plan={"full_refresh": True}))
    assert (again.up_to_date, again.stages["parse"]) == (False, "full refresh")

    (corpus / "note.txt").unlink()
    removed = look_ahead(configure())
    assert removed.stages["merge_shards"] == "documents or their access labels changed"
    assert REMOVED in removed.sources["change"].to_pylist()


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize("as_json", [False, True])
def test_the_command_names_the_documents(corpus: Path, as_json: bool) -> None:
    (corpus / "note.txt").write_text("Another text.\n")
    (corpus / "new.txt").write_text("A new one.\n")
    options = ["--json"] if as_json else []
    # The fixture's settings: without them the command's own configuration would re-run everything.
    result = CliRunner().invoke(
        app,
        ["index", "--dry-run", str(corpus), "--store", str(corpus.parent / "store"), *options],
        env={"GRAPHRAG__LOAD__VECTOR_STORE": "none"},
    )
    assert result.exit_code == 0, result.output
    if as_json:
        printed = json.loads(result.stdout)
        assert printed["documents"] == {
            "added": ["corpus/new.txt"],
            "changed": ["corpus/note.txt"],
            "removed": [],
            "unchanged": ["corpus/reports.md", "corpus/tables.md"],
        }
        assert printed["stages"]["normalize"] == "after parse"
    else:
        assert "corpus/new.txt" in result.stdout
        assert "documents were added or changed" in result.stdout
