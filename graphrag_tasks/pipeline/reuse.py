"""Reuse finished work of this run, or published with the parent snapshot.

File hashes are verified before reuse. Damaged files are logged and rebuilt.
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
from graphrag_tasks.storage.artifacts import Folder, Receipt
from graphrag_tasks.storage.snapshots.store import Snapshot, check_table, file_of

log = logging.getLogger(__name__)


def finished(stage: str, fingerprint: str, receipts: Folder, tables: Folder) -> Receipt | None:
    """Return the receipt of work finished by an earlier attempt, if its tables are intact."""
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
    """Reuse the tables that a stage published with the parent snapshot, if still valid.

    They are valid if nothing that the stage depends on changed, and no document is processed: one that failed may be
    readable now although nothing changed.
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
    """Reuse a shard's rows from the parent snapshot, for stages before its first stage.

    None if the stage has to run. Nothing that decides these rows has changed.
    """
    order, first = list(STAGES_OF_SHARDS), state.first_stage(shard)
    if state.parent is None or order.index(stage.name) >= order.index(first):
        return None
    documents = state.shard_rows(shard)["document_id"].combine_chunks()
    folder = state.parent.folder
    ends, of_row = pc.min_max(documents).as_py(), pc.field("document_id")
    # The bounds leave out whole row groups: published rows are in the order of documents.
    wanted = (of_row >= ends["min"]) & (of_row <= ends["max"]) & of_row.isin(documents)
    return StageResult({name: folder.scan_table(name).to_table(filter=wanted) for name in stage.makes})


def is_whole(snapshot: Snapshot, names: Iterable[str] | None = None) -> bool:
    """Tell whether tables of a snapshot, all by default, are intact; log others."""
    try:
        snapshot.verify(names)
    except SnapshotError as error:
        log.warning("tables of the published snapshot are not taken over: %s", error)
        return False
    return True
