"""What stages get: their tables, their settings, and what the pipeline makes for them.

Fingerprints cover these: a change of a stage's configuration, code, model or libraries changes the
fingerprints of that stage and all later ones. Shard sizes, worker counts, guards and times cannot
change a row, so they are left out.
"""

from __future__ import annotations

import json
import posixpath
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks import language
from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.config.reading import LanguageConfig
from graphrag_tasks.core.globs import fits_any
from graphrag_tasks.core.ids import content_id, fingerprint
from graphrag_tasks.core.stage import Read, StageResult, code_version, dependency_versions
from graphrag_tasks.embed.kept import KEPT_VECTORS, KeptVectors
from graphrag_tasks.embed.protocol import ENDPOINT, Embedder
from graphrag_tasks.embed.stage import embed, make_embedder
from graphrag_tasks.entities.resolve import LlmConfirmer, Overrides
from graphrag_tasks.extract import make_extractor
from graphrag_tasks.extract.coref.protocol import load_resolver
from graphrag_tasks.graph.communities import make_summarizer
from graphrag_tasks.graph.relationships import GraphSchema
from graphrag_tasks.language.domain import Domain
from graphrag_tasks.llm import Client
from graphrag_tasks.llm_extract import LlmReader
from graphrag_tasks.pipeline import reuse, vectors
from graphrag_tasks.pipeline.stages import (
    CORPUS_STAGES,
    MODEL_STAGES,
    SHARD_STAGES,
    STAGES_OF_SHARDS,
    AnyStage,
    merge_shards,
)
from graphrag_tasks.pipeline.state import RunState, ShardTables
from graphrag_tasks.pipeline.user_files import UserFiles
from graphrag_tasks.snapshots.store import file_of
from graphrag_tasks.sources.listing import SourceReader
from graphrag_tasks.storage.artifacts import Folder

SOURCES = "sources"
"""Key of the fingerprint of the listed documents and their labels."""

_OF_SOURCES = ["document_id", "content_sha256", "labels", "labels_error"]


def call(
    stage: AnyStage,
    state: RunState,
    shard: int | None = None,
    part: int | None = None,
    made: Mapping[str, object] = MappingProxyType({}),
) -> StageResult:
    """Call a stage on a run's staged tables, on those of one shard, or on a part of the rows.

    What is `made` already is not made again.
    """
    folder = state.staged if shard is None else state.shard_tables(shard)
    tables = [_read(read, state, folder, shard) for read in stage.reads]
    if part is not None:
        tables = [_part_of(rows, part, len(state.parts)) for rows in tables]
    settings = {name: getattr(state.config, section) for name, section in stage.settings.items()}
    names = stage.given if part is None else (name for name in stage.given if name != "done")
    given = {name: made[name] if name in made else GIVEN[name].make(state, shard) for name in names}
    return stage(*tables, **settings, **given)


def _read(one: Read, state: RunState, folder: Folder | ShardTables, shard: int | None) -> Any:  # noqa: ANN401
    if one.name == "sources":
        return state.sources if shard is None else state.shard_rows(shard)
    if one.streamed:
        return folder.scan_table(one.name)
    return folder.read_table(one.name, list(one.columns) or None)


def _part_of(rows: pa.Table, part: int, parts: int) -> pa.Table:
    """Return the rows of a part: their ids are hex digits of a hash."""
    numbers = [int(one[:8], 16) % parts for one in rows.column(0).to_pylist()]
    return rows.filter(pa.array([number == part for number in numbers], pa.bool_()))


@dataclass(frozen=True)
class Given:
    """Something that the pipeline makes for a stage: for a run and, in a stage of shards, a shard.

    `identity` returns what of it decides the stage's tables, as JSON, or None.
    """

    make: Callable[[RunState, int | None], object]
    identity: Callable[[Config, UserFiles], object] = lambda _config, _files: None


def _fetch(state: RunState, shard: int | None) -> Callable[[str], bytes]:
    rows = state.sources if shard is None else state.shard_rows(shard)
    return SourceReader(state.basis.roots, rows).fetch


def _embedder_that_keeps(state: RunState, _: int | None) -> Embedder:
    """Return the embedder; but for an endpoint's, whose answers are kept already, it keeps."""
    config, engine = state.config, state.basis.engine
    embedder = vectors.embedder_of(config, _client(state), engine)
    if config.embed.embedder == ENDPOINT:
        return embedder
    staging = state.folder if config.plan.full_refresh else state.store.staging
    name = content_id("vectors", json.dumps(vectors.identity(config, engine), sort_keys=True))
    return KeptVectors(embedder, staging / KEPT_VECTORS / name)


def _identity(one: Any) -> list[str]:  # noqa: ANN401 - a part with a fingerprint
    """Return what decides the work of an exchangeable part, which may be another package's."""
    return [one.fingerprint, code_version(type(one).__module__)]


def _part(make: Callable[[Config], object]) -> Given:
    return Given(lambda state, _: make(state.config), lambda config, _: _identity(make(config)))


def make_reader(state: RunState, *, may_spend: bool = True) -> LlmReader:
    """Return what reads for a run, or raise `ConfigError` where no model is named."""
    return LlmReader(_client(state), state.config, may_spend=may_spend)


def _client(state: RunState) -> Client:
    return Client(state.config.llm, state.config.store, run_name(state))


def run_name(state: RunState) -> str:
    """Return the name that a run's spending is kept under."""
    return posixpath.basename(state.folder.uri)


def _asking(make: Callable[[Config, Client], object]) -> Given:
    """Give a part that may ask a language model, or None where the settings want none."""

    def identity(config: Config, _: UserFiles) -> list[str] | None:
        part = make(config, Client(config.llm))
        return None if part is None else _identity(part)

    return Given(lambda state, _: make(state.config, _client(state)), identity)


def _embedding(is_wanted: Callable[[Config], bool] = lambda _: True) -> Given:
    """Give the embedder, or None where the settings want none; its engine decides vectors, too."""

    def make(state: RunState, _: int | None) -> Embedder | None:
        if not is_wanted(state.config):
            return None
        return vectors.embedder_of(state.config, _client(state), state.basis.engine)

    def identity(config: Config, _: UserFiles) -> list[str] | None:
        if not is_wanted(config):
            return None
        embedder = make_embedder(config.embed, Client(config.llm))
        return [*_identity(embedder), embedder.engine]

    return Given(make, identity)


def _file(parse: Callable[[UserFiles, Config], Domain | Overrides | GraphSchema]) -> Given:
    return Given(
        lambda state, _: parse(state.files, state.config),
        lambda config, files: parse(files, config).fingerprint,
    )


def _processed(state: RunState, _: int | None) -> dict[str, list[Any]]:
    """Give scans of the tables of the shards: where a model read, of those that it added to."""
    folders = list(map(state.shard_tables, state.shards))
    asks = state.config.extract.asks
    of_models = {name for stage in MODEL_STAGES.values() for name in stage.makes}
    found: dict[str, list[Any]] = {}
    for name in merge_shards.makes:
        adopted = f"adopted_{name}"
        is_there = asks or name not in of_models
        table = adopted if asks and adopted in of_models else name
        found[name] = [folder.scan_table(table) for folder in folders] if is_there else []
    return found


def _published(state: RunState, _: int | None) -> dict[str, list[Any]]:
    """Give scans of the tables of the snapshot that rows are taken over from."""
    parent = state.parent
    return {name: [parent.folder.scan_table(name)] if parent else [] for name in merge_shards.makes}


def _unsent_documents(state: RunState, _: int | None = None) -> frozenset[str]:
    """Return the documents that are never sent to a model of another host."""
    rows = zip(*(state.sources[name].to_pylist() for name in ("document_id", "path")), strict=True)
    return frozenset(one for one, path in rows if fits_any(path, state.config.llm.exclude))


def _unsent_entities(state: RunState, _: int | None) -> frozenset[str]:
    """Return the entities that those documents mention or are about."""
    if not state.config.llm.exclude:
        return frozenset()
    documents = pa.array(sorted(_unsent_documents(state)), pa.string())
    found: set[str] = set()
    for name in ("mentions", "titles"):
        rows = state.staged.scan_table(name)
        wanted = pc.field("document_id").isin(documents)
        found |= set(rows.to_table(columns=["entity_id"], filter=wanted)["entity_id"].to_pylist())
    return frozenset(found)


def _summarized(state: RunState, _: int | None) -> pa.Table | None:
    if state.parent and reuse.is_whole(state.parent, ("communities",)):
        return state.parent.table("communities")
    return None


def _vectors(state: RunState, _: int | None) -> dict[str, pa.Table]:
    parent = state.parent
    if not parent or parent.manifest.embedding != vectors.identity(
        state.config, state.basis.engine
    ):
        return {}
    whole = reuse.is_whole(parent, embed.makes)
    return {name: parent.table(name) for name in embed.makes} if whole else {}


def _done(state: RunState, _: int | None) -> StageResult | None:
    """Return what `embed` made of parts, where it was done."""
    done = []
    for part in state.parts:
        folder = state.part_folder(embed.name, part)
        receipt = reuse.finished(embed.name, state.basis.fingerprints[embed.name], folder, folder)
        if receipt is not None:
            done.append(receipt)
    if not done:
        return None
    tables = {
        name: pa.concat_tables([Folder(one.uri).open_arrow(file_of(name)) for one in done])
        for name in embed.makes
    }
    stats = Counter[str]()
    for one in done:
        stats.update(one.stats)
    return StageResult(tables, stats)


GIVEN: Mapping[str, Given] = {
    "fetch": Given(_fetch),
    "extractor": Given(
        lambda state, _: lambda on_parse: make_extractor(state.config.extract, on_parse=on_parse),
        lambda config, _: _identity(make_extractor(config.extract)),
    ),
    "resolver": _part(lambda config: load_resolver(config.extract.coref)),
    "reader": _asking(
        lambda config, client: LlmReader(client, config) if config.extract.asks else None
    ),
    "processed": Given(_processed),
    "published": Given(_published),
    "overrides": _file(UserFiles.parsed_overrides),
    "domain": _file(UserFiles.parsed_domain),
    "schema": _file(UserFiles.parsed_schema),
    "confirmer": _asking(
        lambda config, client: LlmConfirmer(client) if config.resolve.confirm else None
    ),
    "name_vectors": _embedding(lambda config: config.resolve.confirm),
    "summarizer": _asking(lambda config, client: make_summarizer(config.communities, client)),
    "unsent_documents": Given(
        _unsent_documents,
        lambda config, _: config.llm.exclude if config.resolve.confirm else None,
    ),
    "unsent_entities": Given(
        _unsent_entities,
        lambda config, _: config.llm.exclude if config.communities.summarizer == "llm" else None,
    ),
    "summarized": Given(_summarized),
    "embedder": replace(_embedding(), make=_embedder_that_keeps),
    "reusable": Given(_vectors),
    "done": Given(_done),
    # The vector server holds a copy of the snapshot: it changes nothing in it.
    "upload": Given(
        lambda state, _: partial(vectors.serve, state.config, state.store.folder, state.staged)
    ),
}
"""By the name of the stage's parameter."""


def fingerprints_of(config: Config, listed: pa.Table, files: UserFiles) -> dict[str, str]:
    """Return the fingerprint of each stage, and that of the sources as `SOURCES`.

    Each covers all stages before it, so the last one names the whole snapshot. The stages of a
    language model have none where none reads.
    """
    found = {SOURCES: fingerprint({"listed": listed.select(_OF_SOURCES).to_pylist()})}
    before = fingerprint({"schema": schemas.SCHEMA_VERSION})
    asked = STAGES_OF_SHARDS if config.extract.asks else SHARD_STAGES
    for name, stage in {**asked, **CORPUS_STAGES}.items():
        part = _depends_on(stage, config, files) | {"before": before}
        if stage.per == "corpus" and any(read.name == "sources" for read in stage.reads):
            part["sources"] = found[SOURCES]
        before = found[name] = fingerprint(part)
    return found


def _depends_on(one: AnyStage, config: Config, files: UserFiles) -> dict[str, Any]:
    sections = {name: getattr(config, name) for name in one.settings.values()}
    models = {
        name: language.model_version(section.model)
        for name, section in sections.items()
        if isinstance(section, LanguageConfig)
    }
    return {
        "settings": {name: section.decisive() for name, section in sections.items()},
        "models": models,
        "given": {name: GIVEN[name].identity(config, files) for name in one.given},
        "code": code_version(one.module),
        "libraries": dependency_versions(one.libraries),
    }
