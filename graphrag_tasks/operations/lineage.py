"""Datasets that a stage reads and writes, for data lineage.

A dataset's name is stable between runs: a table is named by its folder, without run and shard ids. What differs between
runs (rows, hash, fingerprint, place) are its attributes. Names follow OpenLineage: `file` and a path, `s3://BUCKET` and
a key.
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
    """A table column: name, Arrow type, and meaning."""

    name: str
    type: str
    meaning: str


@dataclass(frozen=True)
class Dataset:
    """A dataset that a task reads or writes.

    Attributes:
        namespace: The file system, such as `file` or `s3://bucket`.
        name: Path or key, the same in every run.
        version: Fingerprint of a table, id of a snapshot; empty if it has none.
        rows: Number of rows written; None for inputs, and for datasets that are no table.
        files: Number of files written; 0 for inputs.
        columns: Columns of a written table; empty if its schema is not fixed.
        about: For a written table `uri` (of a single file), `sha256` (of several files: of their hashes, one per line),
            `schema_version` and `reused`; for a snapshot `uri`, `schema_version`, `parent_id` and `tables`, each with
            rows and sha256.
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
    """Return what a stage's task read, and what it wrote, from its receipts.

    Args:
        run: The run.
        stage: Name of the stage, or `plan`.
        receipts: The task's receipts: of each shard, of a part, or one.
    """
    store = run.state.store.folder.uri
    tables = sorted({name for one in receipts for name in one.tables})
    outputs = [_written(_place(store, stage, receipts[0]), name, receipts) for name in tables]
    return Lineage(tuple(_read(run, store, stage)), tuple(outputs))


def publish_lineage(run: Run, published: Published) -> Lineage:
    """Return the tables that a publish read, and the published snapshot."""
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
    """Return namespace and name of a path or URI, without a password.

    >>> place_of("s3://bucket/store/tables")
    ('s3://bucket', 'store/tables')
    """
    parts = urlsplit(without_passwords(uri)) if "://" in uri else None
    if parts is None or parts.scheme == "file":
        return "file", str(Path(parts.path if parts else uri).absolute())
    return f"{parts.scheme}://{parts.netloc}", parts.path.lstrip("/") or "/"


def _place(store: str, stage: str, receipt: Receipt) -> str:
    """Return the folder of a receipt's tables, without run and shard ids."""
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
    """Return a table that is read; its writer reports the columns."""
    return Dataset(*place_of(f"{place}/{name}"))


def _written(place: str, name: str, receipts: Sequence[Receipt]) -> Dataset:
    """Return a table that is written, from its receipts."""
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
    return tuple(Column(one.name, str(one.type), one.metadata[b"meaning"].decode("utf-8")) for one in schema or ())
