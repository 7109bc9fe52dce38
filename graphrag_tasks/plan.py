"""Plan stage: what changed since the published snapshot, and how the work is cut into shards.

Only added and changed documents are processed; the rows of unchanged ones are carried over, and
removed ones are simply not carried (see `collect`). A source that lists nothing, or that lost more
than `max_deleted_share` of the published documents, stops the run before anything changes: an
unmounted folder must not delete an index.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa

from graphrag_tasks import schemas
from graphrag_tasks.config import PlanConfig
from graphrag_tasks.errors import SourceError
from graphrag_tasks.stage import StageResult

REQUIRES = ()
PRODUCES = ("sources",)
DEPENDENCIES = ()

ADDED, CHANGED, UNCHANGED, REMOVED = "added", "changed", "unchanged", "removed"
TO_PROCESS = (ADDED, CHANGED)
_FAILED = "failed"


def plan(
    listed: pa.Table,
    published: pa.Table,
    *,
    config: PlanConfig,
    reprocess: bool = False,
) -> StageResult:
    """Compare the listed documents with the published ones.

    Args:
        listed: What the sources hold now (`sources.LISTED`).
        published: `documents` of the current snapshot; empty before the first publish.
        config: Guards and shard sizes.
        reprocess: Whether the published rows came from another configuration or code, so that
            none can be carried over.

    Returns:
        `sources`: one row per document, sorted by uri, with its change and its shard.

    Raises:
        SourceError: The sources list nothing, or too much of what is published is gone.
    """
    known = {row["document_id"]: row for row in published.to_pylist()}
    rows = listed.to_pylist()
    present = {row["document_id"] for row in rows}
    removed = [row for key, row in known.items() if key not in present]
    _guard(rows, known, removed, config)
    for row in rows:
        row["change"] = _change(
            row, known.get(row["document_id"]), reprocess or config.full_refresh
        )
        row["shard"] = None
    _assign_shards([row for row in rows if row["change"] in TO_PROCESS], config)
    rows += [_removed_row(row) for row in removed]
    rows.sort(key=lambda row: str(row["uri"]))
    table = pa.Table.from_pylist(rows, schema=schemas.SOURCES)
    stats = {change: 0 for change in (ADDED, CHANGED, UNCHANGED, REMOVED)}
    for row in rows:
        stats[row["change"]] += 1
    return StageResult({"sources": table}, {**stats, "shards": len(shards_of(table))})


def shards_of(sources: pa.Table) -> list[int]:
    """Return the numbers of the shards that a plan has work for."""
    return sorted(set(sources["shard"].drop_null().to_pylist()))


def lots(shards: Sequence[int], most: int) -> list[list[int]]:
    """Deal shards out to tasks: neighbours together, as evenly as can be.

    Args:
        shards: Numbers of shards.
        most: Tasks there may be.

    Returns:
        The shards of each task; none is without one.
    """
    tasks = min(most, len(shards))
    ends = [len(shards) * number // tasks for number in range(tasks + 1)] if tasks else []
    return [list(shards[start:end]) for start, end in pairwise(ends)]


def _guard(
    rows: list[dict[str, Any]],
    known: dict[str, dict[str, Any]],
    removed: list[dict[str, Any]],
    config: PlanConfig,
) -> None:
    hint = "Nothing was changed. If that is meant, run again with allow_mass_delete"
    if config.allow_mass_delete:
        return
    if not rows:
        raise SourceError("the sources hold no documents", "plan", hint)
    if known and len(removed) / len(known) > config.max_deleted_share:
        raise SourceError(
            f"{len(removed)} of {len(known)} published documents are gone, more than the share "
            f"of {config.max_deleted_share:g} that plan.max_deleted_share allows",
            "plan",
            hint,
        )


def _change(row: dict[str, Any], known: dict[str, Any] | None, reprocess: bool) -> str:
    if known is None:
        return ADDED
    same = row["content_sha256"] == known["content_sha256"]
    if reprocess or not same or known["status"] == _FAILED:
        return CHANGED
    return UNCHANGED


def _assign_shards(rows: Iterable[dict[str, Any]], config: PlanConfig) -> None:
    """Fill shards in uri order up to a size; only a document that is larger goes beyond it."""
    shard, filled = 0, 0
    for row in rows:
        if filled and filled + row["size_bytes"] > config.shard_bytes:
            shard, filled = shard + 1, 0
        row["shard"] = shard
        filled += row["size_bytes"]


def _removed_row(published: dict[str, Any]) -> dict[str, Any]:
    kept = {name: published.get(name) for name in schemas.SOURCES.names}
    return kept | {"change": REMOVED, "shard": None}
