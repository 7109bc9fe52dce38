"""Publish: verify a finished snapshot, move it into place, and replace `CURRENT`.

Readers see the old or the new snapshot, never a mixture: the pointer changes last, when everything it points to is on
disk. Published content is not published again.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.errors import SnapshotError
from graphrag_tasks.core.schemas import MAPPED, SCHEMA_VERSION, schema_of
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.receipts import Table
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
