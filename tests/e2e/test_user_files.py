"""A user's files are read when a run is planned; what becomes of them later is the next run's."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ConfigError, MissingDependencyError
from graphrag_tasks.pipeline import CORPUS_STAGES, SHARD_STAGES, Run
from graphrag_tasks.pipeline.state import UserFiles


def test_a_file_that_changes_during_a_run_changes_the_next_one(
    configure: Callable[..., Config], tmp_path: Path
) -> None:
    overrides, schema, domain = (tmp_path / f"{name}.yaml" for name in ("overrides", "schema", "domain"))
    overrides.write_text("rename:\n  PRCD_ELEMENTS: Price table\n")
    schema.write_text("relations:\n  replace: {}\n")
    domain.write_text("kinds: {report: REPORT}\n")
    config = configure(
        resolve={"overrides": str(overrides)}, relationships={"schema_file": str(schema)}, domain={"file": str(domain)}
    )
    run, _ = Run.start(config)
    domain.write_text("kinds: {}\n")
    overrides.write_text("rename:\n  PRCD_ELEMENTS: Something else\n")
    schema.unlink()
    for shard in run.shards:
        for stage in SHARD_STAGES:
            run.process_shard(stage, shard)
    for stage in CORPUS_STAGES:
        run.process_corpus(stage)
    snapshot = run.state.store.open(run.publish().manifest.snapshot_id)
    names = set(snapshot.table("entities")["name"].to_pylist())
    types = set(snapshot.table("names")["type"].to_pylist())
    assert "REPORT" in types
    assert not types & {"PROGRAM", "TABLE"}
    assert "Price table" in names
    assert not names & {"PRCD_ELEMENTS", "Something else"}
    assert set(snapshot.table("relations")["relation"].to_pylist()) == {"replace"}
    with pytest.raises(ConfigError, match=r"schema.yaml.*cannot be read.*relationships"):
        Run.start(config)


def test_a_wrong_file_stops_the_run_before_it_begins(configure: Callable[..., Config], tmp_path: Path) -> None:
    schema = tmp_path / "schema.yaml"
    schema.write_text("relatoins: {}\n")
    with pytest.raises(ConfigError, match="Did you mean 'relations'"):
        Run.start(configure(relationships={"schema_file": str(schema)}))
    assert not (tmp_path / "store" / "staging" / "runs").exists()


def test_lists_of_names_are_read_from_a_folder(configure: Callable[..., Config], tmp_path: Path) -> None:
    lists = tmp_path / "lists"
    config = configure(domain={"gazetteers": str(lists)})
    with pytest.raises(ConfigError, match=r"lists.*folder cannot be read.*domain.gazetteers"):
        UserFiles.read(config)
    lists.mkdir()
    (lists / "notes.md").write_text("Ever Ace\n")
    with pytest.raises(ConfigError, match=r"no files TYPE.txt"):
        UserFiles.read(config)
    (lists / "vessel.txt").write_text("Ever Given\n")
    files = UserFiles.read(config)
    assert files.gazetteers == {"vessel.txt": "Ever Given\n"}
    domain = files.parsed_domain(config)
    assert domain.type_by_name("ever given") == "VESSEL"
    assert domain.typed_kinds["table"] == "TABLE"


def test_a_file_in_s3_is_read_as_stores_and_sources_are(
    configure: Callable[..., Config], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "graphrag_tasks.storage.s3", None)  # as without the extra
    config = configure(resolve={"overrides": "s3://bucket/without-the-extra.yaml"})
    with pytest.raises(MissingDependencyError, match=r"pip install .*\[s3\]"):
        UserFiles.read(config)
