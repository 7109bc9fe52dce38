"""Each command that opens a snapshot of an older schema says by which command it is rebuilt."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphrag_tasks.cli import app
from graphrag_tasks.core.errors import SnapshotError
from graphrag_tasks.core.schemas import SCHEMA_VERSION
from graphrag_tasks.storage.snapshots.manifests import MANIFEST_FILE
from graphrag_tasks.storage.snapshots.store import Store
from tests.storage.snapshots.makers import published

RUNNER = CliRunner()
QUESTION = {"id": "q1", "question": "What?", "answer": "x", "type": "single", "gold_ids": ["a.txt"]}


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two snapshots that the release before published."""
    folder = tmp_path_factory.mktemp("older")
    for day, name in enumerate(("one", "two"), start=1):
        time = datetime(2026, 1, day, tzinfo=UTC)
        published(Store(str(folder)), name, time, vectors=name[0])
    for file in folder.glob(f"snapshots/*/{MANIFEST_FILE}"):
        values = json.loads(file.read_text())
        file.write_text(json.dumps(values | {"schema_version": SCHEMA_VERSION - 1}))
    return folder


@pytest.mark.parametrize(
    "line",
    [
        "query VBBS", "answer VBBS", "export {folder}/graph.csv", "snapshots show {first}",
        "snapshots show --since {first}", "snapshots rollback", "documents",
        "entities VBBS", "snapshots show --graph", "mcp",
        "eval retrieval --questions {questions}",
    ],
)  # fmt: skip
def test_a_command_says_how_to_rebuild(older: Path, tmp_path: Path, line: str) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps(QUESTION) + "\n")
    first = Store(str(older)).snapshot_ids()[0]
    filled = line.format(folder=tmp_path, first=first, questions=questions)
    result = RUNNER.invoke(app, [*filled.split(), "--store", str(older)])
    assert isinstance(result.exception, SnapshotError), result.output
    assert f"index --full-refresh --store {older}" in str(result.exception)


def test_what_opens_none_goes_on(older: Path) -> None:
    for line in ("snapshots", "snapshots gc --dry-run", "spending"):
        assert RUNNER.invoke(app, [*line.split(), "--store", str(older)]).exit_code == 0, line
    listed = RUNNER.invoke(app, ["snapshots", "--json", "--store", str(older)])
    versions = {one["schema_version"] for one in json.loads(listed.output)}
    assert versions == {SCHEMA_VERSION - 1}
