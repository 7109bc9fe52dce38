"""The summary of a run, from the receipts that its stages left."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from graphrag_tasks.artifacts import Receipt


def summarize(receipts: Sequence[Receipt], *, corpus_stages: Collection[str]) -> dict[str, Any]:
    """Return counts of the corpus and the cost of each stage, over all shards.

    Args:
        receipts: Of every finished stage and shard, in the order of the stages.
        corpus_stages: Stages whose counts are of the whole corpus; those of shards are passed over.

    Returns:
        `counts`; `by_stage`, the counts of each corpus stage; and `stages` with their tasks,
        seconds (summed over shards) and peak memory in bytes (the highest of any shard).
    """
    by_stage = {one.stage: one.stats for one in receipts if one.stage in corpus_stages}
    counts: dict[str, int | float] = {}
    for stats in by_stage.values():
        counts |= stats
    return {"counts": counts, "by_stage": by_stage, "stages": _stage_costs(receipts)}


def _stage_costs(receipts: Sequence[Receipt]) -> list[dict[str, Any]]:
    costs: dict[str, dict[str, Any]] = {}
    for receipt in receipts:
        cost = costs.setdefault(
            receipt.stage,
            {"stage": receipt.stage, "tasks": 0, "seconds": 0.0, "peak_memory_bytes": 0},
        )
        cost["tasks"] += 1
        cost["seconds"] = round(cost["seconds"] + receipt.seconds, 3)
        cost["peak_memory_bytes"] = max(cost["peak_memory_bytes"], receipt.peak_memory_bytes)
    return list(costs.values())
