"""Work that need not be done again: finished in this run, or published with the parent snapshot.

Nothing is taken over unseen: the hash of each file is compared with what was written. A file that
was damaged since is named in the log and rebuilt.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace

from graphrag_tasks.core.errors import ArtifactError, SnapshotError
from graphrag_tasks.pipeline.stages import AnyStage
from graphrag_tasks.pipeline.state import RunState
from graphrag_tasks.snapshots.store import Snapshot, check_table, file_of
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.receipts import Receipt

log = logging.getLogger(__name__)


def finished(stage: str, fingerprint: str, *, receipts: Folder, tables: Folder) -> Receipt | None:
    """Return the receipt of work that an earlier attempt finished, if its tables are whole.

    Args:
        stage: Name of the stage.
        fingerprint: What its tables must depend on.
        receipts: Where its receipt would lie.
        tables: Where its tables would lie.
    """
    try:
        done = receipts.read_receipt(stage)
        if done is None or done.fingerprint != fingerprint:
            return None
        for name, table in done.tables.items():
            check_table(tables, name, table)
    except (ArtifactError, SnapshotError) as error:
        log.warning("%s is done again: %s", stage, error)
        return None
    return replace(done, reused=True)


def published(stage: AnyStage, fingerprint: str, state: RunState) -> Receipt | None:
    """Take over the tables that a corpus stage published with the parent, if they hold.

    They hold where nothing that the stage depends on changed: then a setting of a later stage was
    changed, and the run begins there. They do not where documents are processed, as one that
    failed may be read now though neither it nor a setting changed.

    Args:
        stage: One of the corpus.
        fingerprint: What its tables must depend on.
        state: The run.
    """
    if not stage.reusable or state.shards or state.parent is None:
        return None
    if state.parent.manifest.fingerprints.get(stage.name) != fingerprint:
        return None
    if stage.name not in state.parent.manifest.stats.get("by_stage", {}):
        return None
    if not is_whole(state.parent, stage.makes):
        return None
    for name in stage.makes:
        state.staged.copy_file(file_of(name), state.parent.folder)
    manifest = state.parent.manifest
    return Receipt(
        stage=stage.name,
        uri=state.staged.uri,
        fingerprint=fingerprint,
        tables={name: manifest.tables[name] for name in stage.makes},
        stats=manifest.stats["by_stage"][stage.name],
        reused=True,
    )


def is_whole(snapshot: Snapshot, names: Iterable[str] | None = None) -> bool:
    """Return whether tables of a snapshot are as published; say in the log what is not.

    Args:
        snapshot: A published snapshot.
        names: Tables to look at; all by default.
    """
    try:
        snapshot.verify(names)
    except SnapshotError as error:
        log.warning("tables of the published snapshot are not taken over: %s", error)
        return False
    return True
