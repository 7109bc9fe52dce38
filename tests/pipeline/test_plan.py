"""The plan: what changed, what stops a run, and how work is cut."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import PlanConfig
from graphrag_tasks.core.errors import SourceError
from graphrag_tasks.pipeline.plan import check_losses, lots, plan, shards_of
from graphrag_tasks.sources.listing import LISTED


def listed(**content: str | None) -> pa.Table:
    """Return a listing of documents by name, with their content hashes."""
    rows = [
        {"document_id": name, "uri": f"docs/{name}", "source": "docs", "path": name,
         "media_type": "md", "size_bytes": 10, "content_sha256": sha}
        for name, sha in content.items()
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=LISTED)


def published(statuses: dict[str, str] | None = None, **content: str | None) -> pa.Table:
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
    result = plan(listed(new="1", edited="2", same="3"), published(edited="0", same="3", gone="4"), config=PlanConfig())
    table = result.tables["sources"]
    assert changes(table) == {"new": "added", "edited": "changed", "same": "unchanged", "gone": "removed"}
    shards = dict(zip(table["path"].to_pylist(), table["shard"].to_pylist(), strict=True))
    assert shards == {"new": 0, "edited": 0, "same": None, "gone": None}
    assert result.stats == {"added": 1, "changed": 1, "unchanged": 1, "removed": 1, "shards": 1}


@pytest.mark.parametrize(
    ("config", "first_stage", "found"),
    [({"full_refresh": True}, "extract", "parse"), ({}, "parse", "parse"), ({}, "chunk", "chunk")],
)
def test_everything_is_done_again_on_demand_or_from_a_stage_on(
    config: dict[str, bool], first_stage: str, found: str
) -> None:
    result = plan(listed(a="1"), published(a="1"), config=PlanConfig(**config), first_stage=first_stage)
    assert changes(result.tables["sources"]) == {"a": "changed"}
    assert result.tables["sources"]["first_stage"].to_pylist() == [found]


def lost(before: dict[str, int], now: dict[str, int], *, count: int = 0, sources: str = "", **config: Any) -> None:
    """Check documents by source, of which the first so many of those before are there now."""

    def rows(numbers: dict[str, int]) -> list[dict[str, Any]]:
        return [
            {"document_id": f"{name}{number}", "uri": f"{name}/{number}", "source": name}
            for name, most in numbers.items() for number in range(most)
        ]  # fmt: skip

    names = sources.split() or list(now)
    known = pa.Table.from_pylist(rows(before), schema=LISTED)
    listed = pa.Table.from_pylist(rows(now), schema=LISTED)
    check_losses(listed, known, sources=names, config=PlanConfig(**config), count=count)


def test_a_large_source_does_not_hide_what_a_small_one_lost() -> None:
    said = r"4 of 5 published documents are gone \(source 'two'\).*allow_mass_delete"
    with pytest.raises(SourceError, match=said):
        lost({"one": 90, "two": 5}, {"one": 90, "two": 1})
    lost({"one": 90, "two": 5}, {"one": 90, "two": 3})


def test_a_source_that_is_no_longer_named_counts_among_all(caplog: pytest.LogCaptureFixture) -> None:
    lost({"one": 8, "two": 3}, {"one": 8})
    assert "source 'two' is no longer named: 3 documents go" in caplog.text
    with pytest.raises(SourceError, match=r"8 of 11 .*no longer named: 'one'"):
        lost({"one": 8, "two": 3}, {"two": 3})


@given(
    st.dictionaries(st.sampled_from("abc"), st.tuples(st.integers(0, 9), st.integers(0, 9))),
    st.sampled_from([0.0, 0.2, 0.5, 1.0]),
)
def test_what_is_not_stopped_lost_no_more_than_its_share(sizes: dict[str, tuple[int, int]], share: float) -> None:
    before = {name: size for name, (size, _) in sizes.items()}
    now = {name: size for name, (_, size) in sizes.items()}
    try:
        lost(before, now, max_deleted_share=share)
    except SourceError:
        return
    assert all(now.values())
    assert all(now[name] >= before[name] * (1 - share) for name in sizes)


@given(st.lists(st.integers(0, 50), max_size=40), st.integers(1, 60), st.integers(1, 6))
def test_shards_are_bounded_in_bytes_and_dealt_out_to_tasks(sizes: list[int], shard_bytes: int, max_tasks: int) -> None:
    """However large the corpus is: a worker's memory follows from its shard."""
    table = listed(**{f"{place:03}": "x" for place in range(len(sizes))})
    table = table.set_column(5, "size_bytes", pa.array(sizes, pa.int64()))
    config = PlanConfig(shard_bytes=shard_bytes)
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


def test_the_only_document_of_a_source_is_not_replaced_unasked() -> None:
    known = pa.Table.from_pylist([{"document_id": "a", "source": "docs"}], schema=LISTED)
    listed = pa.Table.from_pylist([{"document_id": "b", "source": "docs"}], schema=LISTED)
    with pytest.raises(SourceError, match="1 of 1 published documents"):
        check_losses(listed, known, sources=["docs"], config=PlanConfig())


def test_where_nothing_published_can_be_read_the_run_stops() -> None:
    listed = pa.Table.from_pylist([{"document_id": "a", "source": "docs"}], schema=LISTED)
    with pytest.raises(SourceError, match="no published snapshot can be read"):
        check_losses(listed, None, sources=["docs"], config=PlanConfig())
    allowed = PlanConfig(allow_mass_delete=True)
    check_losses(listed, None, sources=["docs"], config=allowed)
