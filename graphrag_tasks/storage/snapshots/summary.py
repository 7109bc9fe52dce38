"""Summary of a run, from its stages' receipts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from graphrag_tasks.storage.receipts import Receipt
from graphrag_tasks.storage.snapshots.store import Snapshot

_CHANGES = ("added", "changed", "removed", "unchanged")
_READ = ("windows_answered", "windows_silent")  # Windows that were answered, including those without a fact.
_HEADLINE = (*_CHANGES, "documents", "chunks", "triples", "entities", "relations")
_NAMED_FAILURES = 3  # Documents named in a summary.
_LONGEST_NAME = 120  # Characters shown of a name, from its end, which is most specific.


def summarize(receipts: Sequence[Receipt], *, corpus_stages: Collection[str]) -> dict[str, Any]:
    """Return counts of the corpus and the cost of each stage, over all shards.

    Returns:
        `counts`; `by_stage`, the counts of each corpus stage; and `stages` with their tasks,
            seconds
        and CPU seconds (summed over shards) and peak memory in bytes (the highest of any shard).
    """
    by_stage = {receipt.stage: receipt.stats for receipt in receipts if receipt.stage in corpus_stages}
    counts: dict[str, int | float] = {}
    for stats in by_stage.values():
        counts |= stats
    return {"counts": counts, "by_stage": by_stage, "stages": _stage_costs(receipts)}


def headline(snapshot: Snapshot) -> dict[str, Any]:
    """Return a snapshot's id, counts, quality figures, and failed documents."""
    stats = snapshot.manifest.stats
    counts = stats.get("counts", {})
    columns = ["uri", "status", "error_code"]
    failed = [
        f"{row['uri']} ({row['error_code']})"
        for row in snapshot.table("documents", columns).to_pylist()
        if row["status"] == "failed"
    ]
    return {
        "snapshot_id": snapshot.snapshot_id,
        **{name: counts.get(name, 0) for name in _HEADLINE},
        "quality": stats.get("quality", {}),
        "llm": stats.get("llm", {}),
        "failed": failed,
    }


def note(summary: Mapping[str, Any], *, changed: bool = True) -> str:
    """Return the result of `headline` as text, failures first.

    Airflow's UI shows a note's first 40 characters in its lists, and keeps 1,000.
    """
    snapshot_id = summary["snapshot_id"]
    if not changed:
        return f"{_failures(summary)}Nothing changed: snapshot {snapshot_id} is current already."
    counted = ", ".join(f"{summary[name]:,} {name}" for name in _HEADLINE)
    read = f" {reading(summary['llm'])}." if summary.get("llm") else ""
    return f"{_failures(summary)}Snapshot {snapshot_id} published: {counted}.{read}"


def _failures(summary: Mapping[str, Any]) -> str:
    failed = summary["failed"]
    if not failed:
        return ""
    named = [one if len(one) <= _LONGEST_NAME else f"…{one[-_LONGEST_NAME:]}" for one in failed]
    rest = len(failed) - _NAMED_FAILURES
    listed = ", ".join(named[:_NAMED_FAILURES]) + (f" and {rest:,} more" if rest > 0 else "")
    return f"{len(failed):,} {'document' if len(failed) == 1 else 'documents'} failed: {listed}. "


def reading(llm: Mapping[str, Any]) -> str:
    """Return in words what a language model read in a run, and its cost."""
    others = {
        status.removeprefix("windows_").replace("_", " "): count
        for status, count in sorted(llm.items())
        if status.startswith("windows_") and status not in _READ and count
    }
    unread = ", ".join(f"{count:,} {status}" for status, count in others.items())
    cost = "at an unknown price" if llm["usd"] is None else f"{float(llm['usd']):.2f} USD"
    cap = f" of {llm['cap_usd']:.2f}" if llm["cap_usd"] and llm["usd"] is not None else ""
    return (
        f"LLM read {llm.get('windows_answered', 0):,} of {llm['windows']:,} windows"
        f"{f' ({unread})' if unread else ''}, {llm['told']:,} facts told, "
        f"{llm['adopted']:,} adopted, {cost}{cap}"
    )


def _stage_costs(receipts: Sequence[Receipt]) -> list[dict[str, Any]]:
    costs: dict[str, dict[str, Any]] = {}
    for receipt in receipts:
        zero = {"tasks": 0, "seconds": 0.0, "cpu_seconds": 0.0, "peak_memory_bytes": 0}
        cost = costs.setdefault(receipt.stage, {"stage": receipt.stage, **zero})
        cost["tasks"] += 1
        cost["seconds"] = round(cost["seconds"] + receipt.seconds, 3)
        cost["cpu_seconds"] = round(cost["cpu_seconds"] + receipt.cpu_seconds, 2)
        cost["peak_memory_bytes"] = max(cost["peak_memory_bytes"], receipt.peak_memory_bytes)
    return list(costs.values())
