"""Every merge can be explained, and a user has the last word on it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graphrag_tasks.cli import app
from graphrag_tasks.pipeline import Published

Indexer = Callable[..., Published]

LONG, SHORT = "Application Interface Framework", "AIF"


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., str]:
    """Run a command of `entities` on the overrides or the store of the test."""

    def run(name: str, *arguments: str) -> str:
        where = ["--store", "store", "--json"] if name == "explain" else ["--overrides", "own.yaml"]
        options = [one if one.startswith("-") else str(tmp_path / one) for one in where]
        done = CliRunner().invoke(app, ["entities", name, *arguments, *options])
        assert done.exit_code == 0, done.output
        return done.output

    return run


def test_a_merge_says_why_and_can_be_overridden(
    index: Indexer, corpus: Path, tmp_path: Path, command: Callable[..., str]
) -> None:
    (corpus / "monitoring.md").write_text(
        f"# Monitoring\n\nThe {LONG} ({SHORT}) monitors interfaces. The report reads the {SHORT}."
    )

    def explained(name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(command("explain", name))
        return found

    index()
    merged = explained(SHORT)
    assert explained(LONG)["entity_id"] == merged["entity_id"]
    (reason,) = [one for one in merged["decisions"] if one["verdict"] == "same"]
    assert {reason["left"], reason["right"]} == {SHORT.lower(), LONG.lower()}
    assert reason["rules"] == ["acronym"]

    command("split", SHORT, LONG)
    command("merge", "PRCD_ELEMENTS", "table VBBS")
    command("rename", "table VBBE", "Requirements (VBBE)")
    index(resolve={"overrides": str(tmp_path / "own.yaml")})
    apart = explained(SHORT)
    assert explained(LONG)["entity_id"] != apart["entity_id"]
    (kept,) = [one for one in apart["decisions"] if one["by"] == "override"]
    assert kept["verdict"] == "different"
    assert explained("PRCD_ELEMENTS")["entity_id"] == explained("table VBBS")["entity_id"]
    assert explained("table VBBE")["name"] == "Requirements (VBBE)"
