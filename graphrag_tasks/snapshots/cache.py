"""Local copies of remote snapshots: readers map their files into memory.

A copy has a folder of its own below what `GRAPHRAG_CACHE` names, `~/.cache/graphrag-tasks` by
default. It holds every document whatever its access labels, so only its owner may look into that
folder. It may be removed whenever no reader has it open.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from graphrag_tasks.core.ids import content_id
from graphrag_tasks.snapshots.store import Snapshot, check_table, file_of
from graphrag_tasks.storage.artifacts import Folder

CACHE_VARIABLE = "GRAPHRAG_CACHE"
"""Environment variable that names the folder of the copies."""


def mirrored(snapshot: Snapshot) -> Snapshot:
    """Return a snapshot on the local disk: itself, or a copy whose files have the published hashes.

    Raises:
        SnapshotError: A file has other bytes than those published.
        ArtifactError: A file is missing.
    """
    if snapshot.folder.is_local:
        return snapshot
    cache = Path(os.environ.get(CACHE_VARIABLE) or Path.home() / ".cache" / "graphrag-tasks")
    final = cache / content_id("mirror", snapshot.folder.uri)
    if not final.exists():
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as work:
            copy = Folder(work) / "snapshot"
            for name, table in snapshot.manifest.tables.items():
                copy.copy_file(file_of(name), snapshot.folder)
                check_table(copy, name, table)
            Snapshot.of(copy, snapshot.manifest)
            copy.to_disk()  # a copy that has its name is not compared again
            _rename(Path(copy.path()), final)
    return Snapshot(Folder(final))


def _rename(work: Path, final: Path) -> None:
    try:
        work.rename(final)
    except OSError:
        if not final.exists():
            raise
        shutil.rmtree(work)  # another process was quicker, with the same bytes
