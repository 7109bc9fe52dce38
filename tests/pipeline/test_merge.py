"""Collect: snapshot N+1 is what still holds of snapshot N and what was processed now."""

from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import MergeConfig
from graphrag_tasks.core.errors import SourceError
from graphrag_tasks.pipeline import merging as merge
from graphrag_tasks.pipeline.stages import merge_shards
from graphrag_tasks.storage.artifacts import Folder


def documents(**statuses: str) -> pa.Table:
    rows = [
        {"document_id": name, "uri": f"docs/{name}", "source": "docs", "path": name,
         "media_type": "md", "size_bytes": 1, "content_sha256": "s", "title": name,
         "title_source": "file_name", "language": None, "cells": 0,
         "pages_in": 2, "pages_out": 2, "characters": 10, "status": status,
         "error_code": "broken" if status == "failed" else None, "error_message": None}
        for name, status in statuses.items()
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=schemas.DOCUMENTS)


def chunks(**texts: str) -> pa.Table:
    rows: list[dict[str, Any]] = [
        {"chunk_id": f"{name}{place}", "document_id": name, "ordinal": place, "heading_path": [],
         "text": text, "char_start": 0, "char_end": 1, "page_start": None, "page_end": None,
         "is_reference": False, "previous_id": None, "next_id": None}
        for name, text_list in texts.items() for place, text in enumerate(text_list)
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=schemas.CHUNKS)


def sources(**changes: str) -> pa.Table:
    rows = [
        {"document_id": name, "uri": f"docs/{name}", "source": "docs", "path": name,
         "media_type": "md", "size_bytes": 1, "content_sha256": "s", "change": change,
         "shard": None}
        for name, change in changes.items()
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=schemas.SOURCES)


NOTHING: dict[str, list[pa.Table]] = {name: [] for name in merge_shards.makes}


def corpus(documents: pa.Table, chunks: pa.Table) -> dict[str, list[pa.Table]]:
    return NOTHING | {"documents": [documents], "chunks": [chunks]}


def texts(table: pa.Table) -> list[str]:
    return list(table["text"].to_pylist())


def test_unchanged_rows_are_carried_and_removed_ones_are_not() -> None:
    result = merge_shards(
        sources(b="changed", a="unchanged", gone="removed"),
        corpus(documents(b="parsed"), chunks(b=["new b"])),
        corpus(documents(a="parsed", b="parsed", gone="parsed"), chunks(a=["a0", "a1"], b=["old b"], gone=["gone"])),
        config=MergeConfig(),
    ).collected()
    assert texts(result.tables["chunks"]) == ["a0", "a1", "new b"]
    assert result.tables["documents"]["path"].to_pylist() == ["a", "b"]
    assert set(result.tables) == set(merge_shards.makes)


def test_every_document_has_the_labels_that_it_has_now() -> None:
    plan = sources(a="unchanged", b="changed").to_pylist()
    plan[0] |= {"labels": ["hr"], "labels_error": None}
    plan[1] |= {"labels": [], "labels_error": "not readable"}
    result = merge_shards(
        pa.Table.from_pylist(plan, schema=schemas.SOURCES),
        corpus(documents(b="parsed"), chunks()),
        corpus(documents(a="parsed", b="parsed"), chunks()),
        config=MergeConfig(),
    ).collected()
    rows = result.tables["documents"].select(["path", "labels", "labels_error"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [("a", ["hr"], None), ("b", [], "not readable")]
    assert result.stats["documents_hidden"] == 1


def test_a_failed_document_keeps_its_last_good_rows() -> None:
    result = merge_shards(
        sources(a="changed", b="changed"),
        corpus(documents(a="failed", b="parsed"), chunks(b=["b"])),
        corpus(documents(a="parsed", b="parsed"), chunks(a=["good"], b=["old"])),
        config=MergeConfig(max_failed_share=0.5),
    ).collected()
    assert texts(result.tables["chunks"]) == ["good", "b"]
    statuses = result.tables["documents"]["status"].to_pylist()
    assert statuses == ["failed", "parsed"]
    assert result.stats["documents_quarantined"] == 1


def test_too_many_documents_that_fail_now_end_the_run_and_are_named() -> None:
    failed = corpus(documents(a="failed", b="parsed", c="skipped"), chunks(b=["b"]))
    plan = sources(a="changed", b="added", c="added")
    known = corpus(documents(a="parsed"), chunks(a=["a"]))
    for published in (known, NOTHING):  # of an older schema nothing is known
        with pytest.raises(SourceError, match=r"1 of 2 documents failed.*docs/a \(broken\)"):
            merge_shards(plan, failed, published, config=MergeConfig(max_failed_share=0.4))
        assert merge_shards(plan, failed, published, config=MergeConfig(max_failed_share=0.5))


def test_what_was_never_read_ends_no_run_unless_nothing_is() -> None:
    config = MergeConfig(max_failed_share=0)
    failed = corpus(documents(a="failed", b="parsed", c="skipped"), chunks(b=["b"]))
    plan = sources(a="added", b="added", c="added")
    assert merge_shards(plan, failed, NOTHING, replaces=False, config=config)
    assert merge_shards(plan, failed, corpus(documents(b="parsed"), chunks()), config=config)
    assert merge_shards(plan, failed, corpus(documents(a="failed"), chunks()), config=config)
    failed = corpus(documents(a="failed", b="failed", c="skipped"), chunks())
    with pytest.raises(SourceError, match="2 of 2 documents failed"):
        merge_shards(plan, failed, NOTHING, replaces=False, config=config)


def test_what_is_larger_than_memory_is_sorted_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"{number:03}" for number in range(200)]
    order = Random(0).sample(names, len(names))
    made = chunks(**{name: [name + "x", name + "y"] for name in order})
    shards = [Folder(tmp_path / str(number)) for number in range(4)]
    for number, shard in enumerate(shards):
        shard.write_table("chunks", made.slice(number * 100, 100), fingerprint="f")
    known = NOTHING | {
        "documents": [documents(**dict.fromkeys(order, "parsed"))],
        "chunks": [shard.scan_table("chunks") for shard in shards],
    }

    def run() -> pa.Table:
        plan = sources(**dict.fromkeys(names, "added"))
        result = merge_shards(plan, known, NOTHING, config=MergeConfig()).collected()
        assert result.stats["chunks"] == 400
        return result.tables["chunks"].combine_chunks()

    at_once = run()
    monkeypatch.setattr(merge, "SORTED_BYTES", 2000)
    distributed = run()
    assert distributed.equals(at_once)
    assert texts(at_once) == [name + end for name in names for end in "xy"]
