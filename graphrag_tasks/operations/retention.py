"""Retention: roll back to old snapshots, verify them, and remove those not kept."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence, Set
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.errors import ArtifactError, ConfigError, SnapshotError, TransientError
from graphrag_tasks.core.schemas import VECTOR_TABLES
from graphrag_tasks.embed.protocol import KEPT_VECTORS
from graphrag_tasks.embed.vectors.vector_store import VectorStore, row_keys, rows_in, rows_of
from graphrag_tasks.llm.journal import KEEP_DAYS, Journal, answers_file
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.files import remove_leftovers
from graphrag_tasks.storage.locks import sole_run
from graphrag_tasks.storage.snapshots.manifests import MANIFEST_FILE, Manifest
from graphrag_tasks.storage.snapshots.store import ARROW_TABLES, Store, last_readable

log = logging.getLogger(__name__)

_ANSWERS, _KEY = "answers", "request_key"


STAGING_AGE = timedelta(days=7)  # After which the work of a killed run is removed.


@dataclass(frozen=True)
class Rollback:
    """The current snapshots before (None if `CURRENT` was lost) and after."""

    before: str | None
    after: str


@dataclass(frozen=True)
class Removed:
    """Result of a garbage collection: removed snapshots, and folders of abandoned runs.

    `freed_bytes` were shared with no kept snapshot; `vectors` counts rows of the vector server, `answers` those of a
    language model.
    """

    snapshots: tuple[str, ...]
    staging: tuple[str, ...]
    freed_bytes: int
    vectors: int = 0
    answers: int = 0


def rollback(store: Store, snapshot_id: str | None = None) -> Rollback:
    """Make an older snapshot current again, after verifying it.

    The default is the snapshot published before the current one, or the newest if `CURRENT` is lost. The next run
    compares the sources with it.
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
        hint = f"Published: {', '.join(ids)}"
        raise SnapshotError("no older snapshot is kept", store.folder.uri, hint)
    return ids[place - 1]


def verify_all(store: Store) -> list[str]:
    """Verify every file of every kept snapshot; return the ids, oldest first."""
    ids = [*store.snapshot_ids(), *store.damaged()]
    damaged = []
    for snapshot_id in ids:
        try:
            store.open(snapshot_id).verify()
        except SnapshotError as error:
            log.warning("%s", error)
            damaged.append(str(error))
    if damaged:
        what = f"{len(damaged)} of {len(ids)} snapshots cannot be read: {'; '.join(damaged)}"
        raise SnapshotError(what, store.folder.uri)
    return ids


def collect_garbage(
    store: Store,
    *,
    keep: int,
    staging_age: timedelta = STAGING_AGE,
    llm: LlmConfig | None = None,
    server: VectorStore | None = None,
    now: datetime | None = None,
    dry_run: bool = False,
) -> Removed:
    """Remove all but the `keep` newest snapshots, and staged work unused for `staging_age`.

    The current snapshot (the newest if `CURRENT` is lost) and the last readable one are kept too. Removed snapshots
    lose their rows in the vector server, and temporary files of killed processes are removed. With `llm`, answers are
    removed that are 90 days older than the oldest kept snapshot and not in its `answers` tables. A `dry_run` only
    reports. Readers of a removed snapshot keep its memory-mapped arrays; other access raises `SnapshotError`.
    """
    if keep < 0:
        raise ConfigError(f"cannot keep {keep} snapshots", "publish.keep", "Name 0 or more")
    now = now or datetime.now(UTC)
    with sole_run(store.folder):
        old = _old(store, keep)
        given_up = _given_up(store, now - staging_age)
        folders = [*map(store.snapshot_folder, old), *given_up.values()]
        freed = sum(folder.own_bytes() for folder in folders)
        vectors = 0
        if not dry_run:
            remove_leftovers()
            store.folder.delete_unfinished(now - staging_age)
            vectors = _remove_vectors(store, set(old), set(given_up), server) if server else 0
            for folder in folders:
                folder.delete(MANIFEST_FILE)  # first: what is half removed is no snapshot
                folder.delete()
        gone = 0
        if llm is not None:
            kept = [manifest for manifest in store.manifests() if manifest.snapshot_id not in old]
            since = min([now, *(datetime.fromisoformat(one.created_at) for one in kept)])
            before = since - timedelta(days=KEEP_DAYS)
            gone = _remove_answers(store, llm, kept, before, dry_run=dry_run)
    log.info("%d snapshots and %d staged folders removed", len(old), len(given_up))
    return Removed(tuple(old), tuple(given_up), freed, vectors, gone)


def _remove_answers(store: Store, llm: LlmConfig, kept: Sequence[Manifest], before: datetime, *, dry_run: bool) -> int:
    """Remove answers that no kept snapshot uses; none if that is unknown."""
    try:
        answers = answers_file(llm, store.folder.uri)
    except ConfigError:
        return 0  # without a file nothing can be asked
    if not answers.exists():
        return 0
    used = set[str]()
    try:
        for manifest in kept:
            folder = store.snapshot_folder(manifest.snapshot_id)
            if _ANSWERS in manifest.tables:
                keys = folder.read_table(_ANSWERS, [_KEY])[_KEY]
                used.update(keys.to_pylist())
        with closing(Journal(answers)) as journal:
            return journal.remove(before, used, dry_run=dry_run)
    except (ArtifactError, TransientError) as error:
        log.warning("answers are left as they are: %s", error)
        return 0


def _old(store: Store, keep: int) -> list[str]:
    """Return the ids of the snapshots to remove, oldest first."""
    ids = store.snapshot_ids()
    current = store.current_id() or (ids[-1] if ids else None)
    others = [one for one in ids if one != current]
    old = others[: max(len(others) - keep, 0)]
    readable = last_readable(store) if old else None
    return [one for one in old if readable is None or one != readable.snapshot_id]


def _remove_vectors(store: Store, old: Set[str], given_up: Set[str], server: VectorStore) -> int:
    """Remove the rows that only old snapshots use, except those a run may have loaded."""
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
    """Return abandoned folders: staged work, and snapshots without a manifest."""
    folders = {
        f"{kind}/{name}": store.staging / kind / name
        for kind in ("runs", "shards", KEPT_VECTORS)
        for name in (store.staging / kind).names()
    }
    broken = [one for one in store.unreadable() if one != store.current_id()]
    folders |= {f"snapshots/{one}": store.snapshot_folder(one) for one in broken}
    return {name: folder for name, folder in folders.items() if folder.last_written() < since}
