"""Local copies of remote snapshots, for memory mapping."""

from __future__ import annotations

from pathlib import Path

from graphrag_tasks.core.ids import content_id
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.cache import CACHE_VARIABLE, made_once
from graphrag_tasks.storage.files import changing
from graphrag_tasks.storage.snapshots.store import Snapshot, check_table, file_of


def mirrored(snapshot: Snapshot) -> Snapshot:
    """Return a snapshot on the local disk: itself, or a copy verified by hashes."""
    if snapshot.folder.is_local:
        return snapshot

    def copy(target: Path) -> None:
        folder = Folder(target)
        for name, table in snapshot.manifest.tables.items():
            folder.copy_file(file_of(name), snapshot.folder)
            check_table(folder, name, table)
        Snapshot.of(folder, snapshot.manifest)

    with changing(CACHE_VARIABLE):
        return Snapshot(Folder(made_once(content_id("mirror", snapshot.folder.uri), copy)))
