"""The manifest of a snapshot; every field of `manifest.json` is validated on reading."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Annotated, Any

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from graphrag_tasks.core.commands import command
from graphrag_tasks.core.config import CommunitiesConfig
from graphrag_tasks.core.errors import ArtifactError, SnapshotError
from graphrag_tasks.core.ids import ID_PATTERN
from graphrag_tasks.storage.artifacts import Folder, Table
from graphrag_tasks.storage.files import Files

MANIFEST_FILE = "manifest.json"

_LAST_YEAR = 9000  # Python's dates end with the year 9999: later times would fail in another time zone.
_EMBEDDING = {"model": str, "max_tokens": int, "fingerprint": str, "dimension": int}

_Number = int | float
_TableName = Annotated[str, Field(pattern=r"^[a-z_]+$")]  # names of tables become names of files


class StageCost(TypedDict):
    """Cost of a stage, summed over its tasks; memory is the largest task's."""

    stage: str
    tasks: int
    seconds: float
    cpu_seconds: float
    peak_memory_bytes: int


class Stats(TypedDict, total=False):
    """Counts of the run, as `publish.summarize` makes them; `quality` as the gate returns it.

    `llm` is what a language model read in the run, and its cost: absent if it read nothing.
    """

    counts: dict[str, _Number]
    by_stage: dict[str, dict[str, _Number]]
    stages: list[StageCost]
    quality: dict[str, _Number]
    llm: dict[str, Any]


class Communities(TypedDict):
    """How communities were found; for the meaning see `CommunitiesConfig`."""

    resolutions: tuple[float, ...]


class Settings(TypedDict):
    """Settings of the run that a reader needs to recompute what labels leave visible."""

    communities: Communities


def settings_of(communities: CommunitiesConfig) -> Settings:
    """Return what a manifest keeps of the configuration."""
    return {"communities": {"resolutions": communities.resolutions}}


def _time(text: str) -> str:
    time = datetime.fromisoformat(text)
    if time.tzinfo is None or time.year > _LAST_YEAR:
        raise ValueError("is no time of a publish")
    return text


def _embedding(values: dict[str, Any]) -> dict[str, Any]:
    """Validate the fields that a query encoder needs."""
    wrong = [name for name, kind in _EMBEDDING.items() if type(values.get(name)) is not kind]
    wrong = wrong or [name for name in ("dimension", "max_tokens") if values[name] < 1]
    if wrong:
        raise ValueError(f"it lacks {', '.join(sorted(wrong))}")
    return values


@dataclass(frozen=True)
class Manifest:
    """Description of a snapshot.

    Attributes:
        snapshot_id: Id of the content: hashes of the tables.
        parent_id: Snapshot that was current when this one was built.
        created_at: UTC time of the publish, ISO 8601; the only clock reading in a snapshot.
        fingerprints: What the tables depend on, by stage.
        sources: Address of each source: its folder, or its file.
        embedding: Model and libraries of the vectors; a reader's query encoder must match.
        collections: Physical Milvus collections by kind; empty without a vector server.
        tables: Rows and sha256 by table.
        stats: Counts of the run.
        schema_version: Version of the tables' schemas.
        settings: Settings of the run; an older manifest without them gets the defaults.
    """

    snapshot_id: Annotated[str, Field(pattern=ID_PATTERN)]
    parent_id: str | None
    created_at: Annotated[str, AfterValidator(_time)]
    fingerprints: dict[str, str]
    sources: dict[str, str]
    embedding: Annotated[dict[str, Any], AfterValidator(_embedding)]
    collections: dict[str, str]
    tables: dict[_TableName, Table]
    stats: Stats
    schema_version: int
    settings: Settings = field(default_factory=lambda: settings_of(CommunitiesConfig()))

    @property
    def published_at(self) -> datetime:
        """`created_at` as a time."""
        return datetime.fromisoformat(self.created_at)

    def as_dict(self) -> dict[str, Any]:
        """Return the content of `manifest.json`."""
        return dict(_reader().dump_python(self, mode="json"))


@cache
def _reader() -> TypeAdapter[Manifest]:
    return TypeAdapter(Manifest)


def read_manifest(folder: Files) -> Manifest:
    """Read the manifest in a snapshot's folder."""
    try:
        return _reader().validate_json(folder.read_bytes(MANIFEST_FILE), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        what = f"{field}: {first['msg']}" if field else first["msg"]
        where = f"{folder.uri}/{MANIFEST_FILE}"
        hint = f"Go back to another: {command('snapshots', 'rollback', 'ID')}. Or index again"
        raise SnapshotError(f"the manifest is damaged ({what})", where, hint) from error


# Location of the approved ontology in a store.

APPROVED = "approved"  # Value of `relationships.schema_file` that selects the store's approved ontology.

FOLDER, IN_FORCE = "ontology", "current"
"""Folder in a store, and its file with the ontology in force: a schema in YAML."""


def ontology_in_force(store: str) -> str:
    """Return the text of the ontology in force; "" if none was approved."""
    folder = Folder(store) / FOLDER
    if not folder.exists(IN_FORCE):
        return ""
    try:
        return folder.read_bytes(IN_FORCE).decode("utf-8")
    except UnicodeDecodeError as error:
        hint = f"Approve an ontology again: {command('ontology', 'show', store=store)}"
        raise ArtifactError(f"is no text: {error}", place_in_force(store), hint) from error


def place_in_force(store: str) -> str:
    """Return the path of the ontology in force, for messages."""
    return f"{(Folder(store) / FOLDER).uri}/{IN_FORCE}"
