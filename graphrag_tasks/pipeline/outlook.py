"""Outlook: checks of the settings, and what a run would do, and why, decided before anything is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core import schemas
from graphrag_tasks.core.commands import command, require
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import AccessError, ArtifactError, ConfigError, SnapshotError
from graphrag_tasks.core.globs import excluded
from graphrag_tasks.embed.protocol import ENDPOINT
from graphrag_tasks.embed.vectors.vector_store import check_vector_store
from graphrag_tasks.extract import make_extractor
from graphrag_tasks.extract.llm import LlmReader
from graphrag_tasks.extract.llm.ask import UNANSWERED
from graphrag_tasks.llm import Client
from graphrag_tasks.llm.journal import answers_file
from graphrag_tasks.llm.request import check_price
from graphrag_tasks.parse.pdf.engines import check_pdf_engine
from graphrag_tasks.pipeline import vectors
from graphrag_tasks.pipeline.inputs import SOURCES, fingerprints_of
from graphrag_tasks.pipeline.plan import check_losses, log, plan, shards_of
from graphrag_tasks.pipeline.stages import STAGES_OF_SHARDS, first_changed, merge_shards
from graphrag_tasks.pipeline.state import Basis, UserFiles, is_whole
from graphrag_tasks.sources.labels import check_rules
from graphrag_tasks.sources.listing import SourceRoot, list_sources, source_roots
from graphrag_tasks.storage.artifacts import Folder, Table
from graphrag_tasks.storage.snapshots.manifests import MANIFEST_FILE
from graphrag_tasks.storage.snapshots.store import Snapshot, Store, check_table, last_readable

_DOCUMENTS, _NEEDED = "documents", ("document_id", "source")


@dataclass(frozen=True)
class Known:
    """Published documents.

    Attributes:
        documents: `document_id` and `source` of each, and `labels` if its snapshot has them; None if there are only
            unreadable snapshots.
        count: Number of documents in the current snapshot's manifest, if that is all that can be read; else 0.
    """

    documents: pa.Table | None
    count: int = 0

    @property
    def has_labels(self) -> bool:
        """Whether published documents have access labels."""
        table = self.documents
        if table is None or "labels" not in table.column_names:
            return False
        return bool(pc.any(table["labels"].is_valid()).as_py())


def known_documents(store: Store) -> Known:
    """Return the documents of the current snapshot, or of the last one with intact documents."""
    counts: list[int] = []
    for snapshot_id in _newest_first(store):
        folder = store.snapshot_folder(snapshot_id)
        published = _published(folder)
        try:
            return Known(_read(folder, published), *counts[:1])
        except (ArtifactError, SnapshotError) as error:
            log.warning("documents of snapshot %s are not known: %s", snapshot_id, error)
            counts.append(published.rows if published else 0)
    if counts:
        return Known(None)
    return Known(schemas.empty(_DOCUMENTS).select(_NEEDED))


def _newest_first(store: Store) -> Iterator[str]:
    current = store.current_id()
    if current:
        yield current
    readable = reversed(store.snapshot_ids())
    for name in dict.fromkeys((*readable, *(store.folder / "snapshots").names())):
        if name != current and store.snapshot_folder(name).exists(MANIFEST_FILE):
            yield name


def _published(folder: Folder) -> Table | None:
    """Return the documents entry of a manifest of any schema version, or None."""
    try:
        table = folder.read_json(MANIFEST_FILE)["tables"][_DOCUMENTS]
        rows, sha256 = table["rows"], table["sha256"]
    except (ArtifactError, KeyError, TypeError):
        return None
    return Table(rows, sha256) if isinstance(rows, int) and isinstance(sha256, str) else None


def _read(folder: Folder, published: Table | None) -> pa.Table:
    if published is not None:
        check_table(folder, _DOCUMENTS, published)
    table = folder.read_any_version(_DOCUMENTS, (*_NEEDED, "labels", "media_type"))
    if missing := set(_NEEDED) - set(table.column_names):
        raise ArtifactError(f"has no columns {sorted(missing)}", f"{folder.uri}/{_DOCUMENTS}")
    return table


# Check a configuration before anything is read or written, and list its model requests.


def _check_extractor(config: Config) -> None:
    make_extractor(config.extract, config.language)
    if config.extract.asks:
        LlmReader(Client(config.llm), config)


def _check_answers(config: Config) -> None:
    if _purposes(config) or config.embed.embedder == ENDPOINT:
        answers_file(config.llm, config.store)


def _check_excluded(config: Config) -> None:
    if config.llm.exclude and config.embed.embedder == ENDPOINT:
        what = "llm.exclude names documents that are not sent, but embed.embedder sends all"
        raise ConfigError(what, "embed.embedder", "Set embed.embedder = local, or exclude nothing")


CHECKS: tuple[Callable[[Config], object], ...] = (
    _check_extractor,
    _check_answers,
    _check_excluded,
    lambda config: check_pdf_engine(config.parse),
    lambda config: check_vector_store(Folder(config.store), config.load),
)
"""Checks; each raises if a module cannot do what the configuration asks."""


def check(config: Config) -> tuple[SourceRoot, ...]:
    """Check a configuration before anything is read or written, and return the sources' roots."""
    require("index")
    roots = source_roots(sources_of(config))
    for refuse in CHECKS:
        refuse(config)
    client = Client(config.llm)
    for purpose in _purposes(config).values():
        check_price(config.llm, client.identity(purpose).model)
    if config.embed.embedder == ENDPOINT:
        check_price(client.at(config.embed.base_url).config, config.embed.model)
    return roots


def asked_of_models(config: Config) -> list[str]:
    """Return what a run would ask language models and endpoints, a line for each purpose."""
    settings, found = config.llm, []
    cap = f"at most {settings.budget.usd:g} USD" if settings.budget.usd else "no cap in money"
    for stage, purpose in _purposes(config).items():
        model = settings.model_for(purpose)
        found.append(f"{stage} asks {model} at {settings.url}, where no answer is kept ({cap})")
    if config.embed.embedder == ENDPOINT:
        url = config.embed.base_url or settings.url
        found.append(f"embed sends new texts to {config.embed.model} at {url} ({cap})")
    return found


def _purposes(config: Config) -> dict[str, str]:
    """Return the purposes of language model requests, by the stage that asks."""
    wanted = {
        ("extract", "extract"): config.extract.asks,
        ("resolve", "confirm"): config.resolve.confirm,
        ("communities", "summarize"): config.communities.summarizer == "llm",
    }
    return dict(one for one, is_wanted in wanted.items() if is_wanted)


def sources_of(config: Config) -> tuple[str, ...]:
    """Return the configured sources, or else those of the store's snapshot."""
    if config.sources:
        return config.sources
    if sources := Store(config.store).sources():
        return sources
    what = "no source is named, and none is known, as nothing is published in the store"
    hint = f"Name one: {command('index', 'FOLDER', store=config.store)}"
    raise ConfigError(what, config.store, hint)


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


def look_ahead(config: Config) -> Outlook:
    """List the sources, compare them with the published snapshot, cut shards; write nothing."""
    roots = check(config)
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
        and is_whole(parent),
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
