"""What becomes of old snapshots: going back to one, and removing those that are no longer kept."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Set
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from graphrag_tasks.core.errors import ConfigError, SnapshotError
from graphrag_tasks.core.schemas import VECTOR_TABLES
from graphrag_tasks.snapshots.manifests import MANIFEST_FILE, Manifest
from graphrag_tasks.snapshots.store import ARROW_TABLES, Store, last_readable
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.locks import sole_run
from graphrag_tasks.vectors.fields import row_keys, rows_of
from graphrag_tasks.vectors.vector_store import VectorStore, rows_in

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Rollback:
    """A pointer that was moved.

    Attributes:
        before: The snapshot that was current; None where `CURRENT` was lost.
        after: The one that is current now.
    """

    before: str | None
    after: str


@dataclass(frozen=True)
class Removed:
    """What a collection of garbage removed.

    Attributes:
        snapshots: Ids, oldest first.
        staging: Folders of runs and shards that no run will find again, and of snapshots that
            were half removed.
        freed_bytes: Bytes on disk that no kept snapshot shares.
        vectors: Rows of the vector server that no kept snapshot names.
    """

    snapshots: tuple[str, ...]
    staging: tuple[str, ...]
    freed_bytes: int
    vectors: int = 0


def rollback(store: Store, snapshot_id: str | None = None) -> Rollback:
    """Make an older snapshot current again, once its bytes are verified.

    The next run compares the sources with it, as with any published snapshot.

    Args:
        store: Where it is published.
        snapshot_id: The snapshot to go back to; the one published before the current one by
            default, and the newest one where `CURRENT` is lost.

    Raises:
        SnapshotError: There is no such snapshot, or it is damaged; `CURRENT` is left alone.
        TransientError: A run is working on the store.
    """
    with sole_run(store.folder):
        before = store.current_id()
        target = store.open(snapshot_id or _published_before(store, before))
        target.verify()
        store.set_current(target.snapshot_id, instead_of=before)
    log.info("rolled back from %s to %s", before, target.snapshot_id)
    return Rollback(before, target.snapshot_id)


def _published_before(store: Store, snapshot_id: str | None) -> str | None:
    ids = store.snapshot_ids()
    if snapshot_id is None:
        return ids[-1] if ids else None
    place = ids.index(snapshot_id) if snapshot_id in ids else len(ids)  # a damaged one is not
    if place == 0:
        raise SnapshotError(
            "no older snapshot is kept", store.folder.uri, f"Published: {', '.join(ids)}"
        )
    return ids[place - 1]


def verify_all(store: Store) -> list[str]:
    """Compare every file of every kept snapshot with its hash.

    Returns:
        Ids of the snapshots, oldest first.

    Raises:
        SnapshotError: Some are damaged or of an older schema; the message names each, once all
            were looked at.
    """
    ids = [*store.snapshot_ids(), *store.damaged()]
    damaged = []
    for snapshot_id in ids:
        try:
            store.open(snapshot_id).verify()
        except SnapshotError as error:
            log.warning("%s", error)
            damaged.append(str(error))
    if damaged:
        raise SnapshotError(
            f"{len(damaged)} of {len(ids)} snapshots cannot be read: {'; '.join(damaged)}",
            store.folder.uri,
        )
    return ids


def collect_garbage(
    store: Store,
    *,
    keep: int,
    staging_age: timedelta,
    server: VectorStore | None = None,
    now: datetime | None = None,
    dry_run: bool = False,
) -> Removed:
    """Remove snapshots beyond the newest ones, and what killed runs left in staging.

    The current snapshot is kept whatever its age, the newest in its place where `CURRENT` is lost,
    and the last one that can be read (`snapshots.last_readable`). Readers that hold a removed
    snapshot open keep its memory-mapped arrays, and get a `SnapshotError` where they ask for
    anything else.

    Args:
        store: Where to tidy up.
        keep: Snapshots to keep beside the current one.
        staging_age: Staged work untouched for longer is given up.
        server: Where vectors are copied to, if they are.
        now: Time of the call; the clock by default.
        dry_run: Only say what would be removed.

    Raises:
        ConfigError: `keep` is negative.
        TransientError: A run is working on the store, or the vector server does not answer.
    """
    if keep < 0:
        raise ConfigError(f"cannot keep {keep} snapshots", "publish.keep", "Name 0 or more")
    with sole_run(store.folder):
        old = _old(store, keep)
        given_up = _given_up(store, (now or datetime.now(UTC)) - staging_age)
        folders = [*map(store.snapshot_folder, old), *given_up.values()]
        freed = sum(folder.own_bytes() for folder in folders)
        vectors = 0
        if not dry_run:
            vectors = _remove_vectors(store, set(old), set(given_up), server) if server else 0
            for folder in folders:
                folder.delete(MANIFEST_FILE)  # first: what is half removed is no snapshot
                folder.delete()
    log.info("%d snapshots and %d staged folders removed", len(old), len(given_up))
    return Removed(tuple(old), tuple(given_up), freed, vectors)


def _old(store: Store, keep: int) -> list[str]:
    """Return the ids of the snapshots to remove, oldest first."""
    ids = store.snapshot_ids()
    current = store.current_id() or (ids[-1] if ids else None)
    others = [one for one in ids if one != current]
    old = others[: max(len(others) - keep, 0)]
    readable = last_readable(store) if old else None
    return [one for one in old if readable is None or one != readable.snapshot_id]


def _remove_vectors(store: Store, old: Set[str], given_up: Set[str], server: VectorStore) -> int:
    """Remove the rows that only old snapshots name, collection by collection.

    Those of a run that goes on stay: it may have loaded them, and not published yet.
    """
    staged = _staged_keys(store, given_up)
    holders: dict[str, list[tuple[Manifest, str]]] = {}
    for manifest in store.manifests():
        for table, collection in manifest.collections.items():
            kept = holders.setdefault(collection, [])
            if manifest.snapshot_id not in old:
                kept.append((manifest, table))
    removed = 0
    for collection, kept in sorted(holders.items()):
        keys = staged.union(*(_keys(store, manifest, table) for manifest, table in kept))
        removed += server.remove_others(collection, keys.__contains__)
    return removed


def _keys(store: Store, manifest: Manifest, table: str) -> Iterator[str]:
    """Return the keys of a snapshot's vectors in the server."""
    folder = store.snapshot_folder(manifest.snapshot_id)
    return row_keys(rows_in(manifest.collections[table], folder, table, manifest.embedding))


def _staged_keys(store: Store, given_up: Set[str]) -> set[str]:
    runs = [f"runs/{name}" for name in (store.staging / "runs").names()]
    folders = [store.staging / name / "snapshot" for name in runs if name not in given_up]
    return {
        key
        for folder in folders
        for table in VECTOR_TABLES
        if folder.exists(ARROW_TABLES[table])
        for key in row_keys(rows_of(folder, table))
    }


def _given_up(store: Store, since: datetime) -> dict[str, Folder]:
    """Return what nothing was written to since: staged work, and folders that are no snapshots."""
    folders = {
        f"{kind}/{name}": store.staging / kind / name
        for kind in ("runs", "shards")
        for name in (store.staging / kind).names()
    }
    broken = [one for one in store.unreadable() if one != store.current_id()]
    folders |= {f"snapshots/{one}": store.snapshot_folder(one) for one in broken}
    return {name: one for name, one in folders.items() if one.last_written() < since}
