"""Outlook: what a run would do, and why, decided before anything is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core import schemas
from graphrag_tasks.core.commands import command
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import AccessError
from graphrag_tasks.core.globs import excluded
from graphrag_tasks.extract.llm.reader import UNANSWERED
from graphrag_tasks.pipeline import reuse, vectors
from graphrag_tasks.pipeline.checks import check
from graphrag_tasks.pipeline.inputs import SOURCES, fingerprints_of
from graphrag_tasks.pipeline.known import known_documents
from graphrag_tasks.pipeline.plan import check_losses, plan, shards_of
from graphrag_tasks.pipeline.stages import STAGES_OF_SHARDS, first_changed, merge_shards
from graphrag_tasks.pipeline.state import Basis
from graphrag_tasks.pipeline.user_files import UserFiles
from graphrag_tasks.sources.listing import list_sources
from graphrag_tasks.sources.rules import check_rules
from graphrag_tasks.storage.snapshots.store import Snapshot, Store, last_readable

_CHANGED = "its settings, code, models or libraries changed"


@dataclass(frozen=True)
class Outlook(Basis):
    """A run that has not begun.

    Attributes:
        sources: Rows of `schemas.SOURCES`: each document with its change and its shard.
        stats: Documents by change, number of shards, and number of skipped hidden files.
        stages: Why each stage will run, or None if its tables are reused.
        access: The listed documents with `labels`, `labels_from` and `labels_error`.
    """

    sources: pa.Table
    stats: Mapping[str, int | float]
    stages: Mapping[str, str | None]
    access: pa.Table


def look_ahead(config: Config, *, spends: bool = True) -> Outlook:
    """List the sources, compare them with the published snapshot, cut shards; write nothing.

    `spends` is as in `check`.
    """
    roots = check(config, spends=spends)
    files = UserFiles.read(config)
    store = Store(config.store)
    parent_id = store.current_id()
    parent = last_readable(store, merge_shards.makes)
    before = parent.manifest.fingerprints if parent else {}
    passed_over = Counter[str]()
    listed = list_sources(roots, config.access, passed_over)
    known = known_documents(store)
    names = [root.name for root in roots]
    add = command("index", *store.sources(), *config.sources, store=config.store)
    check_losses(listed, known.documents, sources=names, config=config.plan, count=known.count, add=add)
    _check_labels(config, known.has_labels)
    check_rules(config.access, listed)
    excluded({path: path for path in listed["path"].to_pylist()}, config.llm.exclude)
    fingerprints = fingerprints_of(config, listed, files)
    planned = plan(
        listed,
        parent.table("documents") if parent else schemas.empty("documents"),
        config=config.plan,
        first_stage=first_changed(before, fingerprints),
        unanswered=_unanswered(parent) if parent and config.extract.asks else frozenset(),
    )
    sources = planned.tables["sources"]
    has_shards = bool(shards_of(sources))
    return Outlook(
        config=config,
        parent_id=parent_id,
        carried_id=parent.snapshot_id if parent else None,
        up_to_date=parent is not None
        and parent.snapshot_id == parent_id
        and not has_shards
        and parent.manifest.fingerprints == fingerprints
        and parent.manifest.collections == vectors.collections(config)
        and reuse.is_whole(parent),
        roots=roots,
        fingerprints=fingerprints,
        files=files,
        engine=vectors.engine_of(config),
        sources=sources,
        stats={**planned.stats, "files_passed_over": passed_over.total()},
        stages=_reasons(config, before, fingerprints, sources),
        access=listed.select(["uri", "labels", "labels_from", "labels_error"]),
    )


def _unanswered(published: Snapshot) -> frozenset[str]:
    """Return the documents that a model was not asked about because the budget was spent."""
    answers = published.table("answers", ["document_id", "status"])
    open_ = answers.filter(pc.is_in(answers["status"], value_set=pa.array(UNANSWERED)))
    return frozenset(open_["document_id"].to_pylist())


def _check_labels(config: Config, published: bool) -> None:
    """Refuse to drop the labels that hide documents, unless a setting allows it."""
    if published and not (config.access.enabled or config.access.allow_disable):
        raise AccessError(
            "published documents have access labels, but access.enabled is off",
            "plan",
            "Nothing was changed. Set access.enabled = true; to show all documents to everybody, "
            "run again with access.allow_disable",
        )


def _reasons(
    config: Config, before: Mapping[str, str], after: Mapping[str, str], sources: pa.Table
) -> dict[str, str | None]:
    """Return why each stage runs: the first one, those that changed, and those after them."""
    firsts = set(sources["first_stage"].drop_null().to_pylist())
    changed = first_changed(before, after) if before else None
    reasons: dict[str, str | None] = {}
    working = ""
    for stage in after:
        if stage == SOURCES:
            continue
        reason = f"after {working}" if working else None
        if config.plan.full_refresh:
            reason = reason or "full refresh"
        elif not before:
            reason = reason or "nothing is published that rows can be taken over from"
        elif stage in STAGES_OF_SHARDS:
            if stage == changed and firsts:
                reason = _CHANGED
            elif stage in firsts:
                reason = reason or _of_documents(before, after)
        elif firsts or before.get(stage) != after[stage]:
            if stage == merge_shards.name and before.get(SOURCES) != after[SOURCES]:
                reason = reason or "documents or their access labels changed"
            reason = reason or _CHANGED
        reasons[stage] = reason
        working = working or (stage if reason else "")
    return reasons


def _of_documents(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    if before.get(SOURCES) != after[SOURCES]:
        return "documents were added or changed"
    return "failed documents are tried again, or those that a budget left unread"
