"""What a run may not lose unasked: documents of any source, and the labels that hide them."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.config import Config, load_config
from graphrag_tasks.core.errors import AccessError, ConfigError, SourceError
from graphrag_tasks.pipeline import Published, look_ahead
from graphrag_tasks.storage.snapshots.store import Store

Indexer = Callable[..., Published]
ACCESS = {"enabled": True, "default": ["staff"]}


@pytest.fixture
def two(tmp_path: Path, corpus: Path) -> dict[str, Any]:
    """Settings of two sources: the corpus, and a folder of two more documents."""
    folder = tmp_path / "two"
    folder.mkdir()
    for name in "ab":
        (folder / f"{name}.txt").write_text(f"The report Z{name.upper()} reads the table MARA.")
    return {"sources": [str(corpus), str(folder)]}


def rows(tmp_path: Path) -> dict[str, dict[str, Any]]:
    found = Store(str(tmp_path / "store")).open().table("documents").to_pylist()
    return {row["uri"]: row for row in found}


def flip_a_bit(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.unlink()  # not in place: another snapshot may share the bytes
    file.write_bytes(data)


def test_an_empty_source_among_several_stops_the_run(
    index: Indexer, configure: Callable[..., Config], two: dict[str, Any], tmp_path: Path
) -> None:
    index(**two)
    for file in (tmp_path / "two").iterdir():
        file.unlink()
    with pytest.raises(SourceError, match=r"hold no documents: two.*allow_mass_delete"):
        index(**two)
    (tmp_path / "two" / "metadata.csv").write_text("path,owner\na.txt,hr\n")  # of no document
    with pytest.raises(SourceError, match=r"hold no documents: two.*allow_mass_delete"):
        index(**two)
    (tmp_path / "two" / "metadata.csv").unlink()
    assert len(rows(tmp_path)) == 5
    allowed = look_ahead(configure(**two, plan={"allow_mass_delete": True}))
    assert (allowed.stats["removed"], allowed.stats["unchanged"]) == (2, 3)


def test_a_damaged_snapshot_does_not_hide_that_documents_are_gone(
    index: Indexer, indexed: Published, configure: Callable[..., Config], corpus: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "store" / "snapshots" / indexed.manifest.snapshot_id
    _of_an_older_schema(folder / "manifest.json")
    whole = look_ahead(configure())
    assert (whole.stats["added"], whole.carried_id) == (3, None)
    for name in ("tables.md", "reports.md"):
        (corpus / name).unlink()
    with pytest.raises(SourceError, match=r"2 of 3 published documents.*allow_mass_delete"):
        index()
    flip_a_bit(folder / "documents.parquet")
    with pytest.raises(SourceError, match=r"no published snapshot can be read.*allow_mass_delete"):
        index()
    look_ahead(configure(plan={"allow_mass_delete": True}))


def _of_an_older_schema(manifest: Path) -> None:
    values = json.loads(manifest.read_text())
    manifest.write_text(json.dumps(values | {"schema_version": 2}))


def test_labels_are_not_switched_off_unasked(index: Indexer, configure: Callable[..., Config], tmp_path: Path) -> None:
    current = index(access=ACCESS).manifest.snapshot_id
    with pytest.raises(AccessError, match=r"access\.enabled is off.*access\.allow_disable"):
        index()
    manifest = tmp_path / "store" / "snapshots" / current / "manifest.json"
    whole = manifest.read_bytes()
    _of_an_older_schema(manifest)
    with pytest.raises(AccessError, match="have access labels"):
        look_ahead(configure())
    manifest.write_bytes(whole)
    index(access={"allow_disable": True})
    assert {row["labels"] for row in rows(tmp_path).values()} == {None}
    assert look_ahead(configure()).up_to_date


def test_rules_without_their_section_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "graphrag.toml"
    for text in ('[[access.rules]]\npath = "**"\nlabels = ["hr"]\n', '[[rules]]\npath = "**"\nlabels = ["hr"]\n'):
        file.write_text(text)
        with pytest.raises(ConfigError, match=r"access\.enabled is not|unknown setting"):
            load_config(file, environ={})


def test_odd_names_and_bad_lines_cost_themselves_and_are_named(
    index: Indexer, configure: Callable[..., Config], corpus: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (corpus / os.fsdecode(b"a\xff.txt")).write_text("The report ZA reads the table MARA.")
    (corpus / "a\\xff.txt").write_text("The report ZB reads the table MARC.")
    (corpus / "link.txt").symlink_to(corpus / "note.txt")
    (corpus / ".hidden.txt").write_text("x")
    (corpus / "<img src=x>.docx").write_text("x")
    passages = tmp_path / "p.jsonl"
    passages.write_text('{"id": "a", "text": "ZC reads \\ud800 MARD."}\n{"id": "\\ud800", "text": "x"}\n')
    settings = {"sources": [str(corpus), str(passages)], "merge_shards": {"max_failed_share": 1}}
    published = index(**settings)
    found = rows(tmp_path)
    status = {uri: (row["status"], row["error_code"]) for uri, row in found.items()}
    assert status == {
        **{f"corpus/{name}": ("parsed", None) for name in ("note.txt", "reports.md", "tables.md")},
        "corpus/./a\\xff.txt": ("parsed", None),
        "corpus/a\\xff.txt": ("parsed", None),
        "corpus/link.txt": ("skipped", "no_regular_file"),
        "corpus/<img src=x>.docx": ("failed", "broken"),
        "p.jsonl/a": ("parsed", None),
        "p.jsonl/./line 2": ("failed", "broken"),
    }
    assert "a symbolic link is not followed" in found["corpus/link.txt"]["error_message"]
    counts = published.manifest.stats["counts"]
    assert (counts["files_passed_over"], counts["documents_failed"]) == (1, 2)
    told = sorted(one for one in caplog.messages if one.startswith("failed ("))
    assert [one.partition(": ")[2].partition(": ")[0] for one in told] == [
        "corpus/<img src=x>.docx", "p.jsonl/./line 2",
    ]  # fmt: skip
    assert told[0].startswith("failed (broken): corpus/<img src=x>.docx: not")
    assert look_ahead(configure(**settings)).up_to_date  # what is broken stays broken
