"""State of a run: what it was planned on, the user's files, and the folders of its tables."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import TypeAdapter, ValidationError

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ArtifactError, ConfigError, SnapshotError
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.embed.protocol import ENDPOINT
from graphrag_tasks.entities.resolve import Overrides, read_overrides
from graphrag_tasks.graph.relationships import GraphSchema, read_schema
from graphrag_tasks.language.domain import Domain, default_domain, read_domain, with_gazetteers
from graphrag_tasks.pipeline.plan import shards_of
from graphrag_tasks.pipeline.stages import STAGES, STAGES_OF_SHARDS, AnyStage
from graphrag_tasks.sources.listing import SourceRoot
from graphrag_tasks.storage import file_system
from graphrag_tasks.storage.artifacts import Folder, Receipt
from graphrag_tasks.storage.snapshots.manifests import APPROVED, ontology_in_force, place_in_force
from graphrag_tasks.storage.snapshots.store import Snapshot, Store, check_table, file_of
from graphrag_tasks.storage.sql import Rows


@dataclass(frozen=True)
class UserFiles:
    """The text of a user's files; empty if there is no file."""

    overrides: str = ""
    schema: str = ""
    domain: str = ""
    gazetteers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, config: Config) -> UserFiles:
        """Read the files that a configuration names."""
        return cls(
            overrides=_text(config.resolve.overrides, "resolve.overrides"),
            schema=_schema(config),
            domain=_text(config.domain.file, "domain.file"),
            gazetteers=_texts(config.domain.gazetteers, "domain.gazetteers"),
        )

    def parsed_overrides(self, config: Config) -> Overrides:
        """Return the overrides, or raise what `read_overrides` raises."""
        return read_overrides(self.overrides, config.resolve.overrides or "resolve.overrides")

    def parsed_schema(self, config: Config) -> GraphSchema:
        """Return the schema, or raise what `read_schema` raises."""
        where = config.relationships.schema_file or "relationships.schema_file"
        if where == APPROVED:
            where = place_in_force(config.store)
        return read_schema(self.schema, where)

    def parsed_domain(self, config: Config) -> Domain:
        """Return the domain with the gazetteers, or raise what reading them raises.

        Without a file it is the default domain.
        """
        where, lists = config.domain.file, config.domain.gazetteers
        domain = default_domain() if where is None else read_domain(self.domain, where)
        return with_gazetteers(domain, self.gazetteers, lists or "domain.gazetteers")


def _schema(config: Config) -> str:
    """Return the schema's text; "" also if no ontology is approved yet, as in a first run."""
    if config.relationships.schema_file == APPROVED:
        return ontology_in_force(config.store)
    return _text(config.relationships.schema_file, "relationships.schema_file")


def _text(uri: str | None, setting: str) -> str:
    if uri is None:
        return ""
    try:
        fs, path = file_system(uri)
        return bytes(fs.cat_file(path)).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        what = f"the file cannot be read: {getattr(error, 'strerror', None) or error}"
        raise ConfigError(what, uri, f"Correct {setting}, or leave it out") from error


def _texts(folder: str | None, setting: str) -> dict[str, str]:
    if folder is None:
        return {}
    hint = f"Correct {setting}, or leave it out"
    try:
        fs, path = file_system(folder)
        files = sorted(one for one in fs.ls(path, detail=False) if one.endswith(".txt"))
    except OSError as error:
        raise ConfigError(f"the folder cannot be read: {error.strerror or error}", folder, hint) from error
    if not files:
        raise ConfigError("the folder has no files TYPE.txt", folder, hint)
    base = folder.rstrip("/")
    names = [file.rpartition("/")[2] for file in files]
    return {name: _text(f"{base}/{name}", setting) for name in names}


_RUN_FILE = "run.json"
_IDENTITY = ["document_id", "content_sha256", "size_bytes"]


@dataclass(frozen=True)
class Basis:
    """What a run is planned on.

    Attributes:
        parent_id: The current snapshot, readable or not; None if `CURRENT` is lost.
        carried_id: The snapshot to compare the sources with and to reuse rows of: the current one, or the last readable
            one.
        up_to_date: Whether the current snapshot is what the run would publish.
        fingerprints: What each stage's output depends on.
        engine: What computes the vectors; every task of the run must have it.
    """

    config: Config
    parent_id: str | None
    carried_id: str | None
    up_to_date: bool
    roots: tuple[SourceRoot, ...]
    fingerprints: Mapping[str, str]
    files: UserFiles
    engine: str


_BASIS = TypeAdapter(Basis)


class RunState:
    """A run's folder, which `RunState.freeze` wrote: plan, receipts, and `staged` tables."""

    def __init__(self, folder: Folder) -> None:
        try:
            self.basis = _BASIS.validate_json(folder.read_bytes(_RUN_FILE))
        except ValidationError as error:
            first = error.errors()[0]
            what = f"is no plan of a run: {'.'.join(map(str, first['loc']))}: {first['msg']}"
            raise ArtifactError(what, f"{folder.uri}/{_RUN_FILE}", "Plan again") from error
        self.folder = folder
        self.staged = folder / "snapshot"
        self.config, self.files = self.basis.config, self.basis.files
        self.store = Store(self.config.store)
        self._last_shard: tuple[int, pa.Table] | None = None

    @classmethod
    def freeze(cls, basis: Basis) -> RunState:
        """Write a run's basis into a folder named by its content."""
        config, last = basis.config, basis.fingerprints[STAGES[-1].name]
        run_id = content_id("run", last, str(basis.parent_id), int(config.plan.full_refresh))
        folder = Store(config.store).staging / "runs" / run_id
        folder.write_json(_RUN_FILE, _BASIS.dump_python(basis, mode="json"))
        return cls(folder)

    @cached_property
    def sources(self) -> pa.Table:
        """The plan's rows."""
        return self.folder.read_table("sources")

    @cached_property
    def shards(self) -> list[int]:
        """Numbers of the shards with work."""
        return shards_of(self.sources)

    @property
    def parts(self) -> range:
        """Numbers of the parts that a divisible stage may be done in.

        With an endpoint's embedder there is only one: the threads of one process share a budget.
        """
        if self.config.embed.embedder == ENDPOINT:
            return range(min(1, len(self.shards)))
        return range(min(self.config.plan.parts, len(self.shards)))

    @cached_property
    def parent(self) -> Snapshot | None:
        """The snapshot to reuse rows of; None if none is readable."""
        return self.store.open(self.basis.carried_id) if self.basis.carried_id else None

    def part_folder(self, stage: str, part: int) -> Folder:
        """Return the folder of a part's tables."""
        return self.folder / "parts" / f"{stage}-{part}-of-{len(self.parts)}"

    def shard_rows(self, shard: int) -> pa.Table:
        """Return the source rows of a shard; the last shard's are cached."""
        last = self._last_shard
        if last is None or last[0] != shard:
            last = self._last_shard = shard, self.folder.find_rows("sources", "shard", shard)
        return last[1]

    def first_stage(self, shard: int) -> str:
        """Return the first stage that runs on a shard; earlier stages' rows are reused."""
        return str(self.shard_rows(shard)["first_stage"][0].as_py())

    def shard_folder(self, shard: int, stage: str) -> Folder:
        """Return the folder of a stage's tables of a shard, named by documents and fingerprint."""
        rows = self.shard_rows(shard).select(_IDENTITY).to_pylist()
        parts = [str(value) for row in rows for value in row.values()]
        name = content_id("shard", stage, self.basis.fingerprints[stage], *parts)
        return self.store.staging / "shards" / name

    def shard_tables(self, shard: int) -> ShardTables:
        """Return the tables of a shard."""
        return ShardTables(
            {
                table: self.shard_folder(shard, name)
                for name, stage in STAGES_OF_SHARDS.items()
                if name in self.basis.fingerprints
                for table in stage.makes
            }
        )


class ShardTables:
    """The tables of a shard, each in the folder of the stage that makes it."""

    def __init__(self, folders: Mapping[str, Folder]) -> None:
        self._folders = folders

    def read_table(self, name: str, columns: list[str] | None = None) -> pa.Table:
        """Return a table, or some of its columns, as `Folder.read_table` does."""
        return self._folders[name].read_table(name, columns)

    def scan_table(self, name: str) -> Rows:
        """Return a scan of a table, as `Folder.scan_table` does."""
        return self._folders[name].scan_table(name)


# Reuse finished work of this run, or published with the parent snapshot.

log = logging.getLogger(__name__)


def finished_receipt(stage: str, fingerprint: str, receipts: Folder, tables: Folder) -> Receipt | None:
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


def published_receipt(stage: AnyStage, fingerprint: str, state: RunState) -> Receipt | None:
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


def carried_result(stage: AnyStage, shard: int, state: RunState) -> StageResult | None:
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
