"""Publish: verify a finished snapshot, sum it up, move it into place, and replace `CURRENT`.

Readers see the old or the new snapshot, never a mixture: the pointer changes last, when everything it points to is on
disk. Published content is not published again.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.errors import SnapshotError
from graphrag_tasks.core.schemas import MAPPED, SCHEMA_VERSION, schema_of
from graphrag_tasks.storage.artifacts import Folder, Receipt, Table
from graphrag_tasks.storage.snapshots.manifests import MANIFEST_FILE, Manifest
from graphrag_tasks.storage.snapshots.store import ARROW_TABLES, SNAPSHOT_TABLES, Snapshot, Store, content_snapshot_id

log = logging.getLogger(__name__)


def time_of_publish(store: Store) -> datetime:
    """Return the current time, at least a second after the newest snapshot's.

    So times follow the order of publishing even if the clock was set back; rollback and gc depend on it.
    """
    now = datetime.now(UTC)
    published = store.manifests()
    return max(now, published[-1].published_at + timedelta(seconds=1)) if published else now


def build_manifest(
    tables: Mapping[str, Table],
    *,
    embedding: Mapping[str, Any],
    parent_id: str | None,
    now: datetime | None = None,
    **about: Any,  # noqa: ANN401 - the remaining fields of Manifest, as they are
) -> Manifest:
    """Return the manifest of a finished snapshot; `now` defaults to the clock."""
    missing = sorted({*SNAPSHOT_TABLES, *ARROW_TABLES} - set(tables))
    if missing:
        raise SnapshotError(f"tables are missing: {', '.join(missing)}", "publish")
    created_at = (now or datetime.now(UTC)).isoformat(timespec="seconds")
    return Manifest(
        content_snapshot_id(tables, embedding), parent_id, created_at, embedding=dict(embedding),
        tables=dict(tables), schema_version=SCHEMA_VERSION, **about,
    )  # fmt: skip


def publish(store: Store, staged: Folder, manifest: Manifest) -> bool:
    """Verify a staged snapshot against its manifest, and make it current.

    Returns:
        Whether `CURRENT` changed: false if this content was already current.
    """
    target = store.snapshot_folder(manifest.snapshot_id)
    if _is_whole(target):
        _update_origin(Snapshot(target), manifest)
        if store.current_id() == manifest.snapshot_id:
            log.info("snapshot %s is current already: nothing to publish", manifest.snapshot_id)
            return False
    else:
        candidate = Snapshot.of(staged, manifest)
        candidate.verify()
        _check_counts(candidate)
        _check_numbers(candidate)
        target.delete()  # what a run that was killed while moving left there, or what was damaged
        staged.move_to(target, last=MANIFEST_FILE)
    target.to_disk()
    store.set_current(manifest.snapshot_id, instead_of=manifest.parent_id)
    log.info("published snapshot %s", manifest.snapshot_id)
    return True


def _update_origin(published: Snapshot, manifest: Manifest) -> None:
    """Update a published manifest's fingerprints, sources and collections.

    Other settings or code may give the same content: the next run must not redo that work.
    """
    now = replace(
        published.manifest,
        fingerprints=manifest.fingerprints,
        collections=manifest.collections,
        sources=manifest.sources,
    )
    if now != published.manifest:
        Snapshot.of(published.folder, now)


def _is_whole(target: Folder) -> bool:
    if not target.exists(MANIFEST_FILE):
        return False
    try:
        Snapshot(target).verify()
    except SnapshotError as error:
        log.warning("a damaged snapshot is replaced: %s", error)
        return False
    return True


def _check_counts(snapshot: Snapshot) -> None:
    """Check that the tables are consistent: a vector for each row, a node for each id."""
    rows = {name: table.rows for name, table in snapshot.manifest.tables.items()}
    chunks, entities, relations = rows["chunks"], rows["entities"], rows["relations"]
    expected = {
        "chunk_vectors": chunks, "entity_vectors": entities, "relation_vectors": relations,
        "nodes": entities + chunks, **{copy: rows[name] for name, copy in MAPPED.items()},
    }  # fmt: skip
    for name, count in expected.items():
        if rows[name] != count:
            raise SnapshotError(f"{name} has {rows[name]} rows where {count} are due", "publish")
    if rows["evidence"] < relations:
        raise SnapshotError("a relation has no evidence", "publish")


def _check_numbers(snapshot: Snapshot) -> None:
    """Check that every number is finite: NaN would spread through later computations."""
    for name in SNAPSHOT_TABLES:
        for field in schema_of(name) or ():  # vectors have no fixed one: their encoder is checked
            if not pa.types.is_floating(field.type):
                continue
            column = snapshot.table(name, [field.name])[field.name]
            if not pc.all(pc.is_finite(column), min_count=0).as_py():
                raise SnapshotError(f"{name}.{field.name} has a value that is no number", "publish")


# Summary of a run, from its stages' receipts.

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
