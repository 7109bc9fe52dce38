"""Plan: what changed since the published snapshot, and how work is cut into shards.

Only added and changed documents are processed; rows of unchanged ones are reused (see `merge_shards`). A source that
lists nothing, or lost more than `max_deleted_share` of its published documents, stops the run before anything changes:
an unmounted folder must not delete an index.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence, Set
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import PlanConfig
from graphrag_tasks.core.errors import SourceError
from graphrag_tasks.core.schemas import ADDED, CHANGED, REMOVED, UNCHANGED
from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.pipeline.stages import SHARD_STAGES
from graphrag_tasks.sources.media_types import METADATA_TYPE

_BY_CHANCE = {"changed", "vanished", "unreadable", "timeout", "out_of_memory", "crashed"}
"""Errors of documents that another run may not meet; what is broken stays broken."""

log = logging.getLogger(__name__)


def plan(
    listed: pa.Table,
    published: pa.Table,
    *,
    config: PlanConfig,
    first_stage: str | None = None,
    unanswered: Set[str] = frozenset(),
) -> StageResult:
    """Return `sources`: the listed and published documents by uri, with change and shard.

    If settings or code changed, `first_stage` is the first stage that runs on every document. Documents in `unanswered`
    have model requests that a budget stopped. Both count as changed. The documents of a shard have the same first
    stage.
    """
    known = {row["document_id"]: row for row in published.to_pylist()}
    rows = listed.to_pylist()
    order = list(SHARD_STAGES)
    for row in rows:
        before = known.pop(row["document_id"], None)
        row["change"], stages = ADDED, {order[0]}
        if before is not None:
            stages = {first_stage} if first_stage else set()
            stages |= {order[-1]} if row["document_id"] in unanswered else set()
            stages |= {order[0]} if config.full_refresh or _is_new(row, before) else set()
            row["change"] = CHANGED if stages else UNCHANGED
        row["first_stage"], row["shard"] = min(stages, key=order.index, default=None), None
    _assign_shards([row for row in rows if row["first_stage"]], config)
    gone = {"change": REMOVED, "shard": None, "first_stage": None}
    rows += [row | gone for row in known.values()]
    rows.sort(key=lambda row: str(row["uri"]))
    table = pa.Table.from_pylist(rows, schema=schemas.SOURCES)
    counts = Counter(row["change"] for row in rows)
    stats = {change: counts[change] for change in (ADDED, CHANGED, UNCHANGED, REMOVED)}
    return StageResult({"sources": table}, {**stats, "shards": len(shards_of(table))})


def check_losses(
    listed: pa.Table, known: pa.Table | None,
    *, sources: Sequence[str], config: PlanConfig, count: int = 0, add: str = "",
) -> None:  # fmt: skip
    """Refuse a run that would lose too many documents; nothing has changed yet.

    Each source is checked separately, so that a large one cannot hide losses of a small one; then all together, with
    sources no longer named. Files of metadata that name no document count for nothing. `known` has `document_id`,
    `source` and `media_type` of each published document; None if unknown. `count` is their number if it may be higher.
    `add` is the command that takes the published sources, too.
    """
    listed = listed.filter(pc.is_null(listed["problem"]))
    found = Counter(listed["source"].to_pylist())
    present = set(listed["document_id"].to_pylist())
    before, gone = Counter[str](), Counter[str]()
    for row in known.to_pylist() if known is not None else ():
        if row.get("media_type") == METADATA_TYPE:
            continue
        before[row["source"]] += 1
        gone[row["source"]] += row["document_id"] not in present
    dropped = sorted(before.keys() - set(sources))
    for name in dropped:
        log.warning("source '%s' is no longer named: %d documents go", name, before[name])
    if config.allow_mass_delete:
        return
    if empty := [name for name in sources if not found[name]]:
        raise _refusal(f"these sources hold no documents: {', '.join(empty)}")
    if known is None:
        what = "no published snapshot can be read, so it is not known which documents are gone"
        raise _refusal(what)
    for name in sorted(before.keys() - set(dropped)):
        _check_share(f"source '{name}'", gone[name], before[name], config)
    total = max(before.total(), count)
    lost = max(gone.total(), count - listed.num_rows)
    named = ", ".join(f"'{name}'" for name in dropped)
    where = f"no longer named: {named}" if named else "all sources"
    _check_share(where, lost, total, config, add if named else "")


def _check_share(where: str, gone: int, before: int, config: PlanConfig, add: str = "") -> None:
    if before and gone / before > config.max_deleted_share:
        raise _refusal(
            f"{gone} of {before} published documents are gone ({where}), more than the share of "
            f"{config.max_deleted_share:g} that plan.max_deleted_share allows", add,
        )  # fmt: skip


def _refusal(what: str, add: str = "") -> SourceError:
    hint = "Nothing was changed. Check paths and mounts; if it is meant, run again with "
    hint += "--allow-mass-delete (allow_mass_delete)"
    if add:
        hint = f"Nothing was changed. To have both: {add}. To replace: --allow-mass-delete"
    return SourceError(what, "plan", hint)


def shards_of(sources: pa.Table) -> list[int]:
    """Return the numbers of the shards that a plan has work for."""
    return sorted(set(sources["shard"].drop_null().to_pylist()))


def lots(shards: Sequence[int], most: int) -> list[list[int]]:
    """Distribute shards evenly to at most this many tasks, neighbours together."""
    tasks = min(most, len(shards))
    ends = [len(shards) * number // tasks for number in range(tasks + 1)] if tasks else []
    return [list(shards[start:end]) for start, end in pairwise(ends)]


def _is_new(row: dict[str, Any], known: dict[str, Any]) -> bool:
    same = row["content_sha256"] == known["content_sha256"]
    if row["content_sha256"] is None:  # the file is not read: only its size can be compared
        same = same and row["size_bytes"] == known["size_bytes"]
    return not same or known["error_code"] in _BY_CHANCE


def _assign_shards(rows: Sequence[dict[str, Any]], config: PlanConfig) -> None:
    """Fill shards in uri order up to a size; a larger document is a shard of its own.

    Documents with another first stage fill separate shards, in the order of published rows.
    """
    shard = -1
    for stage in SHARD_STAGES:
        filled = None
        found = [row for row in rows if row["first_stage"] == stage]
        if stage != next(iter(SHARD_STAGES)):
            found.sort(key=lambda row: str(row["document_id"]))
        for row in found:
            if filled is None or (filled and filled + row["size_bytes"] > config.shard_bytes):
                shard, filled = shard + 1, 0
            row["shard"] = shard
            filled += row["size_bytes"]
