"""Work that need not be done again: finished in this run, or published with the parent snapshot.

Before files are taken over, their hashes are compared with what was written. Damaged files are
named in the log and rebuilt.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace

import pyarrow.compute as pc

from graphrag_tasks.core.errors import ArtifactError, SnapshotError
from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.pipeline.stages import STAGES_OF_SHARDS, AnyStage
from graphrag_tasks.pipeline.state import RunState
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.receipts import Receipt
from graphrag_tasks.storage.snapshots.store import Snapshot, check_table, file_of

log = logging.getLogger(__name__)


def finished(stage: str, fingerprint: str, receipts: Folder, tables: Folder) -> Receipt | None:
    """Return the receipt of work that an earlier attempt finished, if its tables are whole."""
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
    """Take over the tables that a stage published with the parent snapshot, if they still hold.

    They hold where nothing that the stage depends on changed, and no document is processed: one
    that failed may be read now though neither it nor a setting changed.
    """
    if not stage.reusable or state.shards or state.parent is None:
        return None
    manifest = state.parent.manifest
    stats = manifest.stats.get("by_stage", {}).get(stage.name)
    if stats is None or manifest.fingerprints.get(stage.name) != fingerprint:
        return None
    if not is_whole(state.parent, stage.makes):
        return None
    for name in stage.makes:
        state.staged.copy_file(file_of(name), state.parent.folder)
    tables = {name: manifest.tables[name] for name in stage.makes}
    return Receipt(stage.name, state.staged.uri, fingerprint, tables, stats, reused=True)


def carried(stage: AnyStage, shard: int, state: RunState) -> StageResult | None:
    """Take over the rows of a shard's documents from the parent snapshot, before its first stage.

    None where the stage has to work. The rows of a document are those that the stage made of it:
    nothing that decides them changed since.
    """
    order, first = list(STAGES_OF_SHARDS), state.first_stage(shard)
    if state.parent is None or order.index(stage.name) >= order.index(first):
        return None
    documents = state.shard_rows(shard)["document_id"].combine_chunks()
    folder = state.parent.folder
    ends, of_row = pc.min_max(documents).as_py(), pc.field("document_id")
    # The bounds leave out whole row groups: published rows are in the order of documents.
    wanted = (of_row >= ends["min"]) & (of_row <= ends["max"]) & of_row.isin(documents)
    return StageResult(
        {name: folder.scan_table(name).to_table(filter=wanted) for name in stage.makes}
    )


def is_whole(snapshot: Snapshot, names: Iterable[str] | None = None) -> bool:
    """Return whether tables of a snapshot, all by default, are as published; log what is not."""
    try:
        snapshot.verify(names)
    except SnapshotError as error:
        log.warning("tables of the published snapshot are not taken over: %s", error)
        return False
    return True
