"""Every merge can be explained, and a user has the last word on it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graphrag_tasks.cli import app
from graphrag_tasks.pipeline import Published
from graphrag_tasks.retrieval import open_index
from graphrag_tasks.storage.snapshots.store import Store

Indexer = Callable[..., Published]

LONG, SHORT = "Application Interface Framework", "AIF"


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., str]:
    """Run a command of `entities` on the overrides or the store of the test."""

    def run(*arguments: str) -> str:
        places = ["--store", str(tmp_path / "store"), "--json", "--overrides", str(tmp_path / "own.yaml")]
        done = CliRunner().invoke(app, ["entities", *arguments, *places])
        assert done.exit_code == 0, done.output
        return done.output

    return run


def test_a_merge_says_why_and_can_be_overridden(
    index: Indexer, corpus: Path, tmp_path: Path, command: Callable[..., str]
) -> None:
    (corpus / "monitoring.md").write_text(
        f"# Monitoring\n\nThe {LONG} ({SHORT}) monitors interfaces. The report reads the {SHORT}."
        f" The {SHORT} does not run on Windows."
    )

    def explained(name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(command(name))
        return found

    index()
    merged = explained(SHORT)
    said = [text for text, _ in merged["relations"]]
    assert f"{merged['name']} does not run on Windows" in said
    assert explained(LONG)["entity_id"] == merged["entity_id"]
    (reason,) = [one for one in merged["decisions"] if one["verdict"] == "same"]
    assert {reason["left"], reason["right"]} == {SHORT.lower(), LONG.lower()}
    assert reason["rules"] == ["acronym"]

    command(SHORT, "--split", LONG)
    command("PRCD_ELEMENTS", "--merge", "table VBBS")
    command("table VBBE", "--rename", "Requirements (VBBE)")
    index(resolve={"overrides": str(tmp_path / "own.yaml")})
    apart = explained(SHORT)
    assert explained(LONG)["entity_id"] != apart["entity_id"]
    (kept,) = [one for one in apart["decisions"] if one["by"] == "override"]
    assert kept["verdict"] == "different"
    assert explained("PRCD_ELEMENTS")["entity_id"] == explained("table VBBS")["entity_id"]
    assert explained("table VBBE")["name"] == "Requirements (VBBE)"


def test_a_call_in_code_is_a_thing_of_its_own_and_a_plain_question_finds_both(
    index: Indexer, corpus: Path, tmp_path: Path, command: Callable[..., str]
) -> None:
    (corpus / "hashing.md").write_text(
        "# Hashing\n\nA digest identifies a message. The method `digest()` returns the bytes. "
        "The caller uses the `digest()` method. The digest method follows a standard.\n\n"
        "## finalize()\n\nThe object releases its memory.\n"
    )
    (corpus / "sorting.html").write_text(
        "<title>Sorting</title><p>Some programs import <code>bisect</code>. A script loads "
        "<code>bisect</code>. The function <code>bisect()</code> returns a place. "
        "The loop calls <code>bisect()</code>.</p>"
    )
    index()
    snapshot = Store(str(tmp_path / "store")).open()
    names = {row["entity_id"]: row["name"] for row in snapshot.table("entities").to_pylist()}
    assert {"digest", "digest()", "digest method", "bisect", "bisect()", "finalize()"} <= {*names.values()}
    assert "finalize" not in names.values()
    aliases = snapshot.table("aliases").to_pylist()
    assert all(("()" in row["alias"]) == ("()" in names[row["entity_id"]]) for row in aliases)
    (apart,) = json.loads(command("digest() method"))["decisions"]
    assert (apart["verdict"], apart["guard"]) == ("different", "call")
    for thing in ("digest", "bisect"):
        found = open_index(tmp_path / "store").search(f"What does {thing} do?")
        assert {one.name for one in found.entities} >= {thing, f"{thing}()"}
