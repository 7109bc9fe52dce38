"""The plan: what changed, what stops a run, and how work is cut."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_tasks import schemas
from graphrag_tasks.config import PlanConfig
from graphrag_tasks.errors import SourceError
from graphrag_tasks.plan import lots, plan, shards_of
from graphrag_tasks.sources import LISTED


def listed(**content: str | None) -> pa.Table:
    """Return a listing of documents by name, with their content hashes."""
    rows = [
        {"document_id": name, "uri": f"docs/{name}", "source": "docs", "path": name,
         "media_type": "md", "size_bytes": 10, "content_sha256": sha}
        for name, sha in content.items()
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=LISTED)


def published(statuses: dict[str, str] | None = None, **content: str) -> pa.Table:
    rows = [
        {**row, "title": row["path"], "language": None, "pages_in": None,
         "pages_out": None, "characters": 1,
         "status": (statuses or {}).get(row["path"], "parsed"),
         "error_code": None, "error_message": None}
        for row in listed(**content).to_pylist()
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=schemas.DOCUMENTS)


def changes(table: pa.Table) -> dict[str, str]:
    return dict(zip(table["path"].to_pylist(), table["change"].to_pylist(), strict=True))


def test_each_document_is_added_changed_unchanged_or_removed() -> None:
    result = plan(
        listed(new="1", edited="2", same="3"),
        published(edited="0", same="3", gone="4"),
        config=PlanConfig(),
    )
    table = result.tables["sources"]
    assert changes(table) == {
        "new": "added", "edited": "changed", "same": "unchanged", "gone": "removed",
    }  # fmt: skip
    shards = dict(zip(table["path"].to_pylist(), table["shard"].to_pylist(), strict=True))
    assert shards == {"new": 0, "edited": 0, "same": None, "gone": None}
    assert result.stats == {"added": 1, "changed": 1, "unchanged": 1, "removed": 1, "shards": 1}


def test_a_document_that_failed_is_tried_again() -> None:
    table = plan(listed(a="1"), published({"a": "failed"}, a="1"), config=PlanConfig()).tables
    assert changes(table["sources"]) == {"a": "changed"}


@pytest.mark.parametrize("config", [{"full_refresh": True}, {}])
def test_everything_is_done_again_on_demand_or_for_another_extraction(config: dict) -> None:
    result = plan(
        listed(a="1"), published(a="1"), config=PlanConfig(**config), reprocess=not config
    )
    assert changes(result.tables["sources"]) == {"a": "changed"}


def test_sources_that_hold_nothing_stop_the_run() -> None:
    with pytest.raises(SourceError, match=r"hold no documents.*Nothing was changed"):
        plan(listed(), published(a="1"), config=PlanConfig())
    allowed = plan(listed(), published(a="1"), config=PlanConfig(allow_mass_delete=True))
    assert allowed.stats["removed"] == 1


def test_losing_most_documents_stops_the_run() -> None:
    known = published(a="1", b="1", c="1")
    with pytest.raises(SourceError, match="2 of 3 published documents are gone"):
        plan(listed(a="1"), known, config=PlanConfig())
    assert plan(listed(a="1", b="1"), known, config=PlanConfig()).stats["removed"] == 1


@given(st.lists(st.integers(0, 50), max_size=40), st.integers(1, 60), st.integers(1, 6))
def test_shards_are_bounded_in_bytes_and_dealt_out_to_tasks(
    sizes: list[int], shard_bytes: int, max_tasks: int
) -> None:
    """However large the corpus is: a worker's memory follows from its shard."""
    table = listed(**{f"{place:03}": "x" for place in range(len(sizes))})
    table = table.set_column(5, "size_bytes", pa.array(sizes, pa.int64()))
    config = PlanConfig(shard_bytes=shard_bytes, allow_mass_delete=True)
    done = plan(table, schemas.empty("documents"), config=config).tables["sources"]
    shards = done["shard"].to_pylist()
    assert None not in shards
    assert shards == sorted(shards)
    assert shards_of(done) == list(range(len(set(shards))))
    for shard in set(shards):
        within = [size for size, one in zip(sizes, shards, strict=True) if one == shard]
        assert sum(within) <= shard_bytes or len([size for size in within if size]) == 1
    dealt = lots(shards_of(done), max_tasks)
    assert [shard for lot in dealt for shard in lot] == shards_of(done)
    assert len(dealt) == min(max_tasks, len(shards_of(done)))
    assert not dealt or max(map(len, dealt)) - min(map(len, dealt)) <= 1
