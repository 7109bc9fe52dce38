"""What a run does not do again, and what it never takes over unseen."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import SnapshotError
from graphrag_tasks.core.schemas import SCHEMA_VERSION
from graphrag_tasks.pipeline import CORPUS_STAGES, SHARD_STAGES, Published, Run, look_ahead
from graphrag_tasks.sources.listing import SourceReader
from graphrag_tasks.storage.snapshots.store import Store

Indexer = Callable[..., Published]


def flip_a_bit(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.unlink()  # not in place: another snapshot may share the bytes
    file.write_bytes(data)


def hashes(published: Published) -> dict[str, str]:
    return {name: table.sha256 for name, table in published.manifest.tables.items()}


def test_vectors_made_in_parts_once_are_those_made_at_once(
    configure: Callable[..., Config], indexed: Published, tmp_path: Path, worked: list[str]
) -> None:
    run, _ = Run.start(configure(store=str(tmp_path / "other"), plan={"shard_bytes": 1}))
    for stage in SHARD_STAGES:
        for shard in run.shards:
            run.process_shard(stage, shard)
    for stage in CORPUS_STAGES:
        if stage == "embed":
            parts = [run.process_part("embed", part) for part in (0, 1, 2, 3)]
            worked.clear()
            assert (again := run.process_part("embed", 0)) and again.reused
            assert run.process_part("embed", 99) is None
            assert worked == []
        last = run.process_corpus(stage)
        if stage == "embed":
            done = [one.stats["embedded"] for one in parts if one]
            assert 1 < len(done) == min(4, len(run.shards))
            assert last.stats["embedded"] == last.stats["vectors"] == sum(done)
            assert last.stats["reused"] == 0
    published = run.publish()
    assert hashes(published) == hashes(indexed)
    (cost,) = [one for one in published.manifest.stats["stages"] if one["stage"] == "embed"]
    assert cost["tasks"] == 1 + len(done)


@pytest.mark.parametrize(
    ("file", "again"),
    [
        pytest.param("chunks.parquet", [*SHARD_STAGES, *CORPUS_STAGES], marks=pytest.mark.slow),
        ("relations.parquet", ["relationships", "load"]),
        ("vectors/chunk.arrow", ["embed", "load"]),
    ],
)
def test_a_damaged_snapshot_is_named_and_made_anew(
    index: Indexer, indexed: Published, tmp_path: Path, worked: list[str],
    caplog: pytest.LogCaptureFixture, file: str, again: list[str],
) -> None:  # fmt: skip
    folder = tmp_path / "store" / "snapshots" / indexed.manifest.snapshot_id
    flip_a_bit(folder / file)
    mended = index()
    assert worked == again
    assert file in caplog.text
    assert hashes(mended) == hashes(indexed)
    Store(str(tmp_path / "store")).open().verify()


def test_finished_work_that_was_damaged_since_is_done_again(
    configure: Callable[..., Config], index: Indexer, worked: list[str], tmp_path: Path
) -> None:
    run, _ = Run.start(configure(plan={"shard_bytes": 1}))
    for shard in run.shards:
        for stage in SHARD_STAGES:
            run.process_shard(stage, shard)
    shards = tmp_path / "store" / "staging" / "shards"
    table, *_ = sorted(shards.glob("*/triples.parquet"))
    flip_a_bit(table)
    _, receipt, *_ = sorted(shards.glob("*/extract.receipt.json"))
    receipt.write_bytes(b"")  # as a power cut may leave what was just written
    worked.clear()
    index(plan={"shard_bytes": 1})
    assert worked == ["extract", "extract", *CORPUS_STAGES]


def test_a_store_of_an_older_schema_is_indexed_anew(index: Indexer, indexed: Published, tmp_path: Path) -> None:
    manifest = tmp_path / "store" / "snapshots" / indexed.manifest.snapshot_id / "manifest.json"
    values = json.loads(manifest.read_text())
    manifest.write_text(json.dumps(values | {"schema_version": SCHEMA_VERSION - 1}))
    with pytest.raises(SnapshotError, match="has schema version"):
        Store(str(tmp_path / "store")).open()
    assert hashes(index()) == hashes(indexed)
    Store(str(tmp_path / "store")).open()


def test_a_document_that_failed_is_tried_again_and_everything_after_it(
    index: Indexer, configure: Callable[..., Config], monkeypatch: pytest.MonkeyPatch
) -> None:
    tolerant = {"merge_shards": {"max_failed_share": 1}}
    fetch = SourceReader.fetch

    def unmounted(self: SourceReader, uri: str) -> bytes:
        if uri.endswith("tables.md"):
            raise OSError("stale handle")
        return fetch(self, uri)

    with monkeypatch.context() as broken:
        broken.setattr(SourceReader, "fetch", unmounted)
        failed = index(**tolerant).manifest
    assert failed.stats["counts"]["documents_failed"] == 1
    assert (
        look_ahead(configure(**tolerant)).stages["parse"]
        == "failed documents are tried again, or those that a budget left unread"
    )
    mended = index(**tolerant)
    assert mended.changed
    assert mended.manifest.fingerprints == failed.fingerprints
    assert mended.manifest.stats["counts"]["documents_failed"] == 0
    assert mended.manifest.tables["triples"].rows > failed.tables["triples"].rows
