"""Inputs of stages: tables, settings, and objects that the pipeline makes.

Fingerprints cover them: a change of a stage's configuration, code, model or libraries changes the fingerprints of that
stage and all later ones. Shard sizes, worker counts, guards and times cannot change a row, so they are left out.
"""

from __future__ import annotations

import json
import logging
import posixpath
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from decimal import Decimal
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks import language
from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import LLM, Config
from graphrag_tasks.core.config.reading import LanguageConfig
from graphrag_tasks.core.globs import fits_any
from graphrag_tasks.core.ids import content_id, fingerprint
from graphrag_tasks.core.stage import DATA_SUFFIXES, Read, StageResult, code_version, dependency_versions
from graphrag_tasks.embed.protocol import ENDPOINT, KEPT_VECTORS, Embedder, KeptVectors
from graphrag_tasks.embed.stage import embed, make_embedder
from graphrag_tasks.entities.resolve import LlmConfirmer, Overrides
from graphrag_tasks.extract import make_extractor
from graphrag_tasks.extract.llm import LlmReader, ask
from graphrag_tasks.extract.llm.requests import Pack, packs_of
from graphrag_tasks.extract.llm.windows import windows_of
from graphrag_tasks.graph.communities import Summarizer, make_summarizer
from graphrag_tasks.graph.relationships import GraphSchema
from graphrag_tasks.language.domain import Domain
from graphrag_tasks.llm import Client
from graphrag_tasks.llm.journal import Journal, answers_file
from graphrag_tasks.llm.request import Forecast
from graphrag_tasks.pipeline import vectors
from graphrag_tasks.pipeline.stages import (
    CORPUS_STAGES,
    MODEL_STAGES,
    SHARD_STAGES,
    STAGES_OF_SHARDS,
    AnyStage,
    merge_shards,
)
from graphrag_tasks.pipeline.state import RunState, ShardTables, UserFiles, finished_receipt, is_whole
from graphrag_tasks.sources.listing import SourceReader
from graphrag_tasks.storage.artifacts import Folder, Receipt
from graphrag_tasks.storage.files import made_once
from graphrag_tasks.storage.snapshots.store import file_of

SOURCES = "sources"  # Key of the fingerprint of the listed documents, their labels and metadata.
_PARTS = ("reader", "confirmer", "summarizer")  # Inputs with a fingerprint and code of their own.
_VERSION = "version"  # File in a folder of the cache.
_OF_SOURCES = ["document_id", "content_sha256", "labels", "labels_error", "metadata"]

log = logging.getLogger(__name__)


def call(
    stage: AnyStage,
    state: RunState,
    shard: int | None = None,
    part: int | None = None,
    made: Mapping[str, object] = MappingProxyType({}),
) -> StageResult:
    """Call a stage on a run's staged tables, on a shard's tables, or on a part of the rows.

    Inputs already in `made` are not made again.
    """
    folder = state.staged if shard is None else state.shard_tables(shard)
    tables = [_read(read, state, folder, shard) for read in stage.reads]
    if part is not None:
        tables = [_part_of(rows, part, len(state.parts)) for rows in tables]
    settings = {name: getattr(state.config, section) for name, section in stage.settings.items()}
    names = stage.given if part is None else (name for name in stage.given if name != "done")
    inputs = Inputs(state.config, state.files, state, shard)
    given = {name: made[name] if name in made else getattr(inputs, name)() for name in names}
    return stage(*tables, **settings, **given)


def _read(one: Read, state: RunState, folder: Folder | ShardTables, shard: int | None) -> Any:  # noqa: ANN401
    if one.name == "sources":
        return state.sources if shard is None else state.shard_rows(shard)
    if one.streamed:
        return folder.scan_table(one.name)
    return folder.read_table(one.name, list(one.columns) or None)


def _part_of(rows: pa.Table, part: int, parts: int) -> pa.Table:
    numbers = [int(one[:8], 16) % parts for one in rows.column(0).to_pylist()]
    return rows.filter(pa.array([number == part for number in numbers], pa.bool_()))


def make_reader(state: RunState, *, may_spend: bool = True) -> LlmReader:
    """Return the model reader of a run, or raise `ConfigError` if no model is named."""
    return LlmReader(_client(state), state.config, may_spend=may_spend)


def _client(state: RunState) -> Client:
    return Client(state.config.llm, state.config.store, run_name(state))


def run_name(state: RunState) -> str:
    """Return the name under which a run's spending is recorded."""
    return posixpath.basename(state.folder.uri)


class Inputs:
    """Makes the inputs of stages besides tables: a method for each parameter, of the same name.

    Without `state` only those can be made that `identity` tells apart; `shard` is set for shard stages.
    """

    def __init__(
        self, config: Config, files: UserFiles, state: RunState | None = None, shard: int | None = None
    ) -> None:
        self._config, self._files, self._run, self._shard = config, files, state, shard

    def identity(self, name: str) -> object:
        """Return the part of an input that decides a stage's tables, as JSON; None if settings say it all."""
        if name in ("overrides", "domain", "schema"):
            return getattr(self, name)().fingerprint
        if name == "unsent_documents":
            return self._config.llm.exclude if self._config.resolve.confirm else None
        if name == "unsent_entities":
            return self._config.llm.exclude if self._config.communities.summarizer == LLM else None
        if name in ("embedder", "name_vectors"):
            if name == "name_vectors" and not self._config.resolve.confirm:
                return None
            made = make_embedder(self._config.embed, self._client)
            return [*_identity(made), made.engine]
        if name == "extractor":
            return _identity(make_extractor(self._config.extract, self._config.language))
        part = getattr(self, name)() if name in _PARTS else None
        return part and _identity(part)

    @property
    def _state(self) -> RunState:
        if self._run is None:
            raise RuntimeError("there is no run")
        return self._run

    @property
    def _client(self) -> Client:
        return _client(self._run) if self._run else Client(self._config.llm)

    def fetch(self) -> Callable[[str], bytes]:
        """Return a function that reads the bytes of a document, by uri."""
        state = self._state
        rows = state.sources if self._shard is None else state.shard_rows(self._shard)
        return SourceReader(state.basis.roots, rows).fetch

    def reader(self) -> LlmReader | None:
        """Return the reader that asks a model; None if only rules read."""
        return LlmReader(self._client, self._config) if self._config.extract.asks else None

    def processed(self) -> dict[str, list[Any]]:
        """Return scans of the shards' tables, including a model's additions."""
        folders = list(map(self._state.shard_tables, self._state.shards))
        asks = self._config.extract.asks
        of_models = {name for stage in MODEL_STAGES.values() for name in stage.makes}
        found: dict[str, list[Any]] = {}
        for name in merge_shards.makes:
            adopted = f"adopted_{name}"
            is_there = asks or name not in of_models
            table = adopted if asks and adopted in of_models else name
            found[name] = [folder.scan_table(table) for folder in folders] if is_there else []
        return found

    def published(self) -> dict[str, list[Any]]:
        """Return scans of the published tables whose rows are reused."""
        parent = self._state.parent
        return {name: [parent.folder.scan_table(name)] if parent else [] for name in merge_shards.makes}

    def replaces(self) -> bool:
        """Tell whether a snapshot is there, readable or not."""
        return self._state.basis.parent_id is not None

    def overrides(self) -> Overrides:
        """Return the user's overrides of names."""
        return self._files.parsed_overrides(self._config)

    def domain(self) -> Domain:
        """Return the domain."""
        return self._files.parsed_domain(self._config)

    def schema(self) -> GraphSchema:
        """Return the expert's schema."""
        return self._files.parsed_schema(self._config)

    def confirmer(self) -> LlmConfirmer | None:
        """Return the confirmer that asks a model about names, or None."""
        return LlmConfirmer(self._client) if self._config.resolve.confirm else None

    def name_vectors(self) -> Embedder | None:
        """Return the embedder of names for the confirmer, or None."""
        if not self._config.resolve.confirm:
            return None
        return vectors.embedder_of(self._config, self._client, self._state.basis.engine)

    def summarizer(self) -> Summarizer:
        """Return the summarizer of communities."""
        return make_summarizer(self._config.communities, self._client)

    def unsent_documents(self) -> frozenset[str]:
        """Return the documents that are never sent to a model on another host."""
        ids, paths = (self._state.sources[name].to_pylist() for name in ("document_id", "path"))
        exclude = self._config.llm.exclude
        return frozenset(one for one, path in zip(ids, paths, strict=True) if fits_any(path, exclude))

    def unsent_entities(self) -> frozenset[str]:
        """Return the entities that those documents mention or are about."""
        if not self._config.llm.exclude:
            return frozenset()
        documents = pa.array(sorted(self.unsent_documents()), pa.string())
        wanted = pc.field("document_id").isin(documents)
        found: set[str] = set()
        for name in ("mentions", "titles"):
            rows = self._state.staged.scan_table(name).to_table(["entity_id"], filter=wanted)
            found |= set(rows["entity_id"].to_pylist())
        return frozenset(found)

    def summarized(self) -> pa.Table | None:
        """Return the previous snapshot's communities, if all of them may be reused."""
        parent = self._state.parent
        if parent and is_whole(parent, ("communities",)):
            return parent.table("communities")
        return None

    def embedder(self) -> Embedder:
        """Return the embedder; it caches vectors, except an endpoint's, which are stored."""
        state, config, engine = self._state, self._config, self._state.basis.engine
        made = vectors.embedder_of(config, self._client, engine)
        if config.embed.embedder == ENDPOINT:
            return made
        staging = state.folder if config.plan.full_refresh else state.store.staging
        name = content_id("vectors", json.dumps(vectors.identity(config, engine), sort_keys=True))
        return KeptVectors(made, staging / KEPT_VECTORS / name)

    def reusable(self) -> dict[str, pa.Table]:
        """Return the previous snapshot's vectors, if the same model made them."""
        parent, engine = self._state.parent, self._state.basis.engine
        if not parent or parent.manifest.embedding != vectors.identity(self._config, engine):
            return {}
        whole = is_whole(parent, embed.makes)
        return {name: parent.table(name) for name in embed.makes} if whole else {}

    def done(self) -> StageResult | None:
        """Return what `embed` made of parts, if they were done separately."""
        state, done = self._state, []
        for part in state.parts:
            folder = state.part_folder(embed.name, part)
            own = state.basis.fingerprints[embed.name]
            receipt = finished_receipt(embed.name, own, folder, folder)
            if receipt is not None:
                done.append(receipt)
        if not done:
            return None
        tables = {
            name: pa.concat_tables([Folder(one.uri).open_arrow(file_of(name)) for one in done]) for name in embed.makes
        }
        stats = Counter[str]()
        for one in done:
            stats.update(one.stats)
        return StageResult(tables, stats)

    def upload(self) -> Callable[..., object]:
        """Return a function that copies vectors to a server."""
        state = self._state
        return partial(vectors.serve, self._config, state.store.folder, state.staged)

    def chunk_vectors(self) -> pa.Table:
        """Return the vectors of chunks, memory-mapped where the folder is local."""
        return self._state.staged.open_arrow(file_of("chunk_vectors"))


def _identity(one: Any) -> list[str]:  # noqa: ANN401 - a part with a fingerprint
    return [one.fingerprint, _code_of_stage(type(one).__module__)]


def fingerprints_of(config: Config, listed: pa.Table, files: UserFiles) -> dict[str, str]:
    """Return the fingerprint of each stage, and that of the sources as `SOURCES`.

    Each covers all earlier stages, so the last one identifies the whole snapshot. Model stages have none if no model
    reads.
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
    inputs = Inputs(config, files)
    return {
        "settings": {name: section.decisive() for name, section in sections.items()},
        "models": models,
        "given": {name: inputs.identity(name) for name in one.given},
        "code": _code_of_stage(one.module),
        "libraries": dependency_versions(one.libraries),
    }


@cache
def _code_of_stage(module: str) -> str:
    """Return `code_version`, kept in the cache while no file of the package changes: all together take a second."""
    if not module.startswith(f"{__package__.partition('.')[0]}."):
        return code_version(module)

    def write(folder: Path) -> None:
        (folder / _VERSION).write_text(code_version(module), "utf-8")

    try:
        return (made_once(f"code/{content_id('code', module, _files())}", write) / _VERSION).read_text("utf-8")
    except OSError as error:
        log.info("the code is read in each process: nothing can be kept (%s)", error)
        return code_version(module)


@cache
def _files() -> str:
    root = Path(language.__file__).parents[1]
    files = [(file, file.stat()) for file in sorted(root.rglob("*")) if file.suffix in (".py", *DATA_SUFFIXES)]
    return repr((sys.version, [(str(file), known.st_size, known.st_mtime_ns) for file, known in files]))


# The model requests of a run's shards, before any is sent.

_REQUESTS_AT_ONCE = 10_000  # Requests whose texts are in memory at a time.


def packs_of_shard(state: RunState, shard: int) -> list[Pack]:
    """Return the request packs of a shard."""
    config, folder = state.config.extract, state.shard_tables(shard)
    tables = {read.name: folder.read_table(read.name, list(read.columns) or None) for read in ask.reads}
    return packs_of(
        tables["documents"], tables["chunks"], tables["sentences"],
        windows_of(**tables, config=config), config.llm,
    )  # fmt: skip


def batch(state: RunState, wanted: Sequence[int]) -> int:
    """Submit the requests of shards as batches; return how many are pending."""
    return make_reader(state).batch(_packs(state, wanted))


def price(state: RunState, wanted: Sequence[int]) -> Forecast:
    """Return the forecast for asking about shards; nothing is sent."""
    return make_reader(state).forecast(_packs(state, wanted))


def ask_groups(
    state: RunState, wanted: Sequence[int], *, may_spend: bool = True
) -> Iterator[tuple[list[int], LlmReader]]:
    """Yield groups of shards with a reader that has asked about them, to keep its threads busy."""
    reader = make_reader(state, may_spend=may_spend)
    shards: list[int] = []
    packs: list[Pack] = []
    for shard in wanted:
        shards.append(shard)
        packs += packs_of_shard(state, shard)
        if len(packs) >= _REQUESTS_AT_ONCE:
            reader.read(packs)
            yield shards, reader
            shards, packs = [], []
            reader.forget()
    if shards:
        reader.read(packs)
        yield shards, reader


def what_was_asked(state: RunState, receipts: Iterable[Receipt]) -> dict[str, Any]:
    """Return counts of windows and facts of a run, and its spending for all purposes."""
    counts: Counter[str] = Counter({"windows": 0, "told": 0, "adopted": 0})
    for receipt in receipts:
        if receipt.stage in MODEL_STAGES:
            counts.update({name: int(count) for name, count in receipt.stats.items()})
    spent = spent_usd(state)
    usd = None if spent is None else f"{spent:f}"
    return {**counts, "usd": usd, "cap_usd": state.config.llm.budget.usd}


def spent_usd(state: RunState) -> Decimal | None:
    """Return what a run spent so far, for all purposes; None where a price is not known."""
    file = answers_file(state.config.llm, state.config.store)
    with closing(Journal(file)) as journal:
        return journal.spent(run_name(state)).usd


def _packs(state: RunState, wanted: Sequence[int]) -> Iterator[Pack]:
    return (pack for shard in wanted for pack in packs_of_shard(state, shard))
