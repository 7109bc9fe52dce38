"""Artifacts: round trips, atomic writes, and answers that differ for absent, broken and empty."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.core.errors import ArtifactError
from graphrag_tasks.storage.artifacts import Folder


@pytest.mark.parametrize("name", sorted(schemas.SCHEMAS))
def test_every_column_says_what_it_means(name: str) -> None:
    for field in schemas.SCHEMAS[name]:
        assert field.metadata[b"meaning"]


def chunks(count: int) -> pa.Table:
    row = {
        "chunk_id": "c", "document_id": "d", "ordinal": 0, "heading_path": ["h"], "text": "t",
        "char_start": 0, "char_end": 1, "page_start": None, "page_end": None, "is_reference": False,
        "previous_id": None, "next_id": None,
    }  # fmt: skip
    return pa.Table.from_pylist([row] * count, schema=schemas.CHUNKS)


def test_absent_unreadable_and_empty_are_different_answers(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    with pytest.raises(ArtifactError, match=r"chunks\.parquet: does not exist"):
        folder.read_table("chunks")
    (tmp_path / "chunks.parquet").write_bytes(b"garbage")
    with pytest.raises(ArtifactError, match="not readable as Parquet"):
        folder.read_table("chunks")
    folder.write_table("chunks", chunks(0), fingerprint="f")
    assert folder.read_table("chunks").num_rows == 0


def test_another_schema_version_is_refused_with_the_way_out(tmp_path: Path) -> None:
    table = chunks(1).replace_schema_metadata({"schema_version": "0"})
    pq.write_table(table, tmp_path / "chunks.parquet")
    with pytest.raises(ArtifactError, match=r"schema version 0.*--full-refresh"):
        Folder(tmp_path).read_table("chunks")


def test_rows_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    with pytest.raises(ArtifactError, match="columns differ"):
        folder.write_table("chunks", chunks(1).drop_columns(["text"]), fingerprint="f")
    nulls = chunks(1).set_column(4, "text", pa.nulls(1, pa.string()))
    with pytest.raises(ArtifactError, match="'text' with null values"):
        folder.write_table("chunks", nulls, fingerprint="f")
    assert folder.names() == []


def test_rows_are_found_in_the_row_groups_that_may_have_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shard's rows of a plan are read, not the plan."""
    monkeypatch.setattr("graphrag_tasks.storage.artifacts.rows_of_group", lambda table: 2)
    shards = [0, 0, 0, 1, None, None, 2, 2, None]
    uris = [f"docs/{place}.md" for place in range(len(shards))]
    blank = {f.name: None if f.nullable else 0 if f.type in (pa.int32(), pa.int64()) else "" for f in schemas.SOURCES}
    rows = [blank | {"uri": uri, "shard": shard} for uri, shard in zip(uris, shards, strict=True)]
    folder = Folder(tmp_path)
    folder.write_table("sources", pa.Table.from_pylist(rows, schema=schemas.SOURCES), fingerprint="f")
    read: list[list[int]] = []
    iter_batches = pq.ParquetFile.iter_batches

    def spied(self: pq.ParquetFile, **how: Any) -> Any:
        read.append(how["row_groups"])
        return iter_batches(self, **how)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", spied)
    found = [folder.find_rows("sources", "shard", shard)["uri"].to_pylist() for shard in range(4)]
    assert found == [uris[:3], uris[3:4], uris[6:8], []]
    assert read == [[0, 1], [1], [3], []]
    assert folder.find_rows("sources", "uri", uris[4]).num_rows == 1
    assert read[-1] == [2]


def test_arrow_files_are_mapped_and_broken_ones_named(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert folder.write_arrow("graph/nodes.arrow", chunks(2)).rows == 2
    assert folder.open_arrow("graph/nodes.arrow").num_rows == 2
    folder.write_bytes("bad.arrow", b"nothing")
    with pytest.raises(ArtifactError, match="not readable as Arrow"):
        folder.open_arrow("bad.arrow")
    with pytest.raises(ArtifactError, match="does not exist"):
        folder.open_arrow("absent.arrow")


def test_the_same_code_works_on_another_file_system() -> None:
    folder = Folder("memory://artifacts/deep")
    folder.write_table("chunks", chunks(2), fingerprint="f")
    folder.write_arrow("vectors/chunk.arrow", chunks(1))
    assert not folder.is_local
    assert folder.read_table("chunks").num_rows == 2
    assert folder.open_arrow("vectors/chunk.arrow").num_rows == 1
    folder.move_to(Folder("memory://artifacts/moved"), last="a")
    assert Folder("memory://artifacts/moved").read_table("chunks").num_rows == 2
    Folder("memory://artifacts").delete()
    assert not Folder("memory://artifacts/moved").exists("chunks.parquet")
