"""The datasets that a stage of a run reads and writes, for whoever keeps a map of data (lineage).

A dataset keeps its name from run to run: a table is named by the folder it lies in, without the
ids of runs and shards. What differs between runs (rows, hash, fingerprint, place) is said of it.
Names follow the naming of OpenLineage: `file` and a path, `s3://BUCKET` and a key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from graphrag_tasks.core import schemas
from graphrag_tasks.core.errors import without_passwords
from graphrag_tasks.pipeline.run import Published, Run
from graphrag_tasks.pipeline.stages import CORPUS_STAGES, STAGES_OF_SHARDS, merge_shards
from graphrag_tasks.storage.receipts import Receipt

_SHARDS, _RUNS = "staging/shards", "staging/runs"
_PARTS, _CORPUS = f"{_RUNS}/parts", f"{_RUNS}/snapshot"


@dataclass(frozen=True)
class Column:
    """A column of a table: its name, its type in Arrow's words, and what it means."""

    name: str
    type: str
    meaning: str


@dataclass(frozen=True)
class Dataset:
    """What a task reads or writes.

    Attributes:
        namespace: The file system, as in `file` or `s3://bucket`.
        name: Path or key, the same in every run.
        version: Fingerprint of a table, id of a snapshot; empty where it has none.
        rows: Rows that were written; None of what is read, and of what is no table.
        files: Files that were written; 0 of what is read.
        columns: Those of a table that was written; empty where its schema is not fixed.
        about: Of a table that was written `uri` (where it lies, of one file), `sha256` (of several
            files that of their hashes, a line each), `schema_version` and `reused`; of a snapshot
            `uri`, `schema_version`, `parent_id` and `tables`, each with rows and sha256.
    """

    namespace: str
    name: str
    version: str = ""
    rows: int | None = None
    files: int = 0
    columns: tuple[Column, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Lineage:
    """The datasets of a task."""

    inputs: tuple[Dataset, ...] = ()
    outputs: tuple[Dataset, ...] = ()


def stage_lineage(run: Run, stage: str, receipts: Sequence[Receipt]) -> Lineage:
    """Return what a task of a stage read, and what it wrote by its receipts.

    Args:
        run: The run.
        stage: Name of the stage, or `plan`.
        receipts: Those of the task: of each shard, of a part, or one.
    """
    store = run.state.store.folder.uri
    tables = sorted({name for one in receipts for name in one.tables})
    outputs = [_written(_place(store, stage, receipts[0]), name, receipts) for name in tables]
    return Lineage(tuple(_read(run, store, stage)), tuple(outputs))


def publish_lineage(run: Run, published: Published) -> Lineage:
    """Return the tables that a publish took, and the snapshot that became current."""
    store, manifest = run.state.store.folder.uri, published.manifest
    tables = {name: asdict(one) for name, one in manifest.tables.items()}
    snapshot = Dataset(
        *place_of(store),
        version=manifest.snapshot_id,
        files=len(tables),
        about={
            "uri": f"{without_passwords(store)}/snapshots/{manifest.snapshot_id}",
            "schema_version": manifest.schema_version,
            "parent_id": manifest.parent_id,
            "tables": tables,
        },
    )
    return Lineage(tuple(_table(f"{store}/{_CORPUS}", name) for name in tables), (snapshot,))


def place_of(uri: str) -> tuple[str, str]:
    """Return namespace and name of a path or URI; a password in it is left out.

    >>> place_of("s3://bucket/store/tables")
    ('s3://bucket', 'store/tables')
    """
    parts = urlsplit(without_passwords(uri)) if "://" in uri else None
    if parts is None or parts.scheme == "file":
        return "file", str(Path(parts.path if parts else uri).absolute())
    return f"{parts.scheme}://{parts.netloc}", parts.path.lstrip("/") or "/"


def _place(store: str, stage: str, receipt: Receipt) -> str:
    """Return the folder of a receipt's tables, without ids of runs and shards."""
    if stage in STAGES_OF_SHARDS:
        return f"{store}/{_SHARDS}"
    if "/parts/" in receipt.uri.removeprefix(store):
        return f"{store}/{_PARTS}"
    return f"{store}/{_CORPUS}" if stage in CORPUS_STAGES else f"{store}/{_RUNS}"


def _read(run: Run, store: str, stage: str) -> Iterable[Dataset]:
    """Yield what a stage reads."""
    basis = run.state.basis
    if stage in ("plan", "parse"):
        yield from (Dataset(*place_of(root.uri)) for root in basis.roots)
    if stage in ("plan", merge_shards.name) and basis.carried_id:
        yield Dataset(*place_of(store), version=basis.carried_id)
    if stage == merge_shards.name:
        yield from (_table(f"{store}/{_SHARDS}", name) for name in merge_shards.makes)
    of_shards = stage in STAGES_OF_SHARDS
    steps = STAGES_OF_SHARDS if of_shards else CORPUS_STAGES
    for read in steps[stage].reads if stage in steps else ():
        folder = _RUNS if read.name == "sources" else _SHARDS if of_shards else _CORPUS
        yield _table(f"{store}/{folder}", read.name)


def _table(place: str, name: str) -> Dataset:
    """Return a table as it is read: who wrote it tells its columns."""
    return Dataset(*place_of(f"{place}/{name}"))


def _written(place: str, name: str, receipts: Sequence[Receipt]) -> Dataset:
    """Return a table as the receipts of a place have it."""
    having = [one for one in receipts if name in one.tables]
    hashes = [one.tables[name].sha256 for one in having]
    joined = hashlib.sha256("\n".join(hashes).encode("ascii")).hexdigest()
    uri = f"{without_passwords(having[0].uri)}/{name}.parquet"
    return Dataset(
        *place_of(f"{place}/{name}"),
        version=having[0].fingerprint,
        rows=sum(one.tables[name].rows for one in having),
        files=len(having),
        columns=_columns(name),
        about={
            **({"uri": uri} if len(having) == 1 else {}),
            "sha256": hashes[0] if len(hashes) == 1 else joined,
            "schema_version": schemas.SCHEMA_VERSION,
            "reused": all(one.reused for one in having),
        },
    )


def _columns(table: str) -> tuple[Column, ...]:
    schema = schemas.SCHEMAS.get(table)
    return tuple(
        Column(one.name, str(one.type), one.metadata[b"meaning"].decode("utf-8"))
        for one in schema or ()
    )
