"""The commands: what they print fits a terminal, and an approval needs a look."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphrag_tasks.cli import app
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.workbench.ontology import Ontologies
from tests.workbench.ontology.conftest import QUESTIONS


def run(*args: str) -> str:
    result = CliRunner().invoke(app, ["ontology", *args], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def proposed(store: Path, tmp_path: Path) -> tuple[str, str]:
    questions = tmp_path / "questions.jsonl"
    questions.write_text("".join(json.dumps({"question": one}) + "\n" for one in QUESTIONS))
    said = run("--questions", str(questions), "--store", str(store), "--outside", "keep")
    proposal = Ontologies(str(store)).read()
    assert proposal.id in said
    assert proposal.schema.on_violation == "keep"
    return str(store), proposal.id


def test_propose_show_approve(proposed: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    store, proposal_id = proposed
    monkeypatch.setenv("COLUMNS", "80")
    Path(store, "ontology", "shown").unlink()
    with pytest.raises(ConfigError, match="not the ontology that was last shown"):
        run(proposal_id, "--approve", "--store", store)
    said = run("--store", store)
    assert "replace" in said and proposal_id in said
    lines = [line for line in said.splitlines() if not line.startswith("Put it in force: ")]
    assert max(map(len, lines)) <= 80
    assert 'schema_file = "approved"' in run(proposal_id, "--approve", "--store", store)
    assert Ontologies(store).id_in_force() == proposal_id
    seen = json.loads(run("--store", store, "--json"))
    assert {one["change"] for one in seen["changes"]} == {"same"}
    assert seen["report"]["covered"] == 4
