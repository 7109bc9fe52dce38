"""The layout of a store: published snapshots, and the pointer to the current one.

::

    STORE/CURRENT                      one line: the id of the published snapshot
    STORE/snapshots/<id>/manifest.json
    STORE/snapshots/<id>/*.parquet     the tables of `SNAPSHOT_TABLES`
    STORE/snapshots/<id>/graph/        nodes, edges, evidence, entities.arrow  (memory-mapped)
    STORE/snapshots/<id>/words/        BM25: text_terms.arrow, text_postings.arrow, heading_…
    STORE/snapshots/<id>/names/        spellings.arrow, spelled.arrow, nodes.arrow, edges.arrow
    STORE/snapshots/<id>/mapped/       chunks, sentences, entities, relations.arrow: some columns
    STORE/snapshots/<id>/vectors/      chunk.arrow, entity.arrow, relation.arrow
    STORE/staging/                     work in progress; readers never look here
    STORE/milvus/                      Milvus Lite's own folder, where it is used

A snapshot never changes once it is published. Its id comes from its content, so an index that did not change publishes
nothing new.
"""

from __future__ import annotations

import difflib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.core.commands import command
from graphrag_tasks.core.errors import ArtifactError, SnapshotError
from graphrag_tasks.core.ids import content_id, is_id
from graphrag_tasks.core.schemas import SCHEMA_VERSION
from graphrag_tasks.storage import ConflictError, is_s3, version, write_if
from graphrag_tasks.storage.artifacts import Folder, Table
from graphrag_tasks.storage.files import CACHE_VARIABLE, changing, made_once
from graphrag_tasks.storage.snapshots.manifests import MANIFEST_FILE, Manifest, read_manifest

log = logging.getLogger(__name__)

_NEAR = 3  # Documents suggested by an error.
_LARGE = 10_000_000  # Bytes of a file whose hash is remembered; of smaller ones it costs some milliseconds.
Made = TypeVar("Made")
CURRENT_FILE = "CURRENT"

ARROW_TABLES = {
    "nodes": "graph/nodes.arrow",
    "edges": "graph/edges.arrow",
    "evidence_rows": "graph/evidence.arrow",
    "entity_rows": "graph/entities.arrow",
    "text_terms": "words/text_terms.arrow",
    "text_postings": "words/text_postings.arrow",
    "heading_terms": "words/heading_terms.arrow",
    "heading_postings": "words/heading_postings.arrow",
    "spellings": "names/spellings.arrow",
    "spelled": "names/spelled.arrow",
    "name_nodes": "names/nodes.arrow",
    "name_edges": "names/edges.arrow",
    "chunk_vectors": "vectors/chunk.arrow",
    "entity_vectors": "vectors/entity.arrow",
    "relation_vectors": "vectors/relation.arrow",
    "clustered": "vectors/clustered.arrow",
    "vector_clusters": "vectors/clusters.arrow",
    "vector_moments": "vectors/moments.arrow",
    **{copy: f"mapped/{name}.arrow" for name, copy in schemas.MAPPED.items()},
}
"""Memory-mapped tables of a snapshot, with their files."""

_OF_TEXTS = {"mapped_chunks", "mapped_sentences"}
"""Mapped tables that are written in batches: readers address rows, not whole columns."""

_NOT_PUBLISHED = {"sources", *schemas.OF_SHARDS_ONLY, *ARROW_TABLES}
SNAPSHOT_TABLES = tuple(name for name in schemas.SCHEMAS if name not in _NOT_PUBLISHED)  # Parquet tables of a snapshot.


def write_table(folder: Folder, name: str, rows: pa.Table | pa.RecordBatchReader, *, fingerprint: str) -> Table:
    """Write a table in a snapshot's format: Parquet, or a memory-mapped Arrow file."""
    if name in ARROW_TABLES:
        return folder.write_arrow(ARROW_TABLES[name], rows, in_batches=name in _OF_TEXTS)
    return folder.write_table(name, rows, fingerprint=fingerprint)


def file_of(name: str) -> str:
    """Return the file name of a snapshot's table."""
    return ARROW_TABLES.get(name, f"{name}.parquet")


def check_table(folder: Folder, name: str, expected: Table) -> None:
    """Raise `SnapshotError` if a table's file is missing or differs from what was written."""
    where = f"{folder.uri}/{file_of(name)}"
    try:
        found = folder.sha256(file_of(name))
    except ArtifactError as error:
        raise SnapshotError("a table is missing", where) from error
    if found != expected.sha256:
        hashes = f"sha256 {found[:12]}…, manifest {expected.sha256[:12]}…"
        what = f"bytes are not those published ({hashes})"
        raise SnapshotError(what, where, "Index again: damaged tables are rebuilt")


def content_snapshot_id(tables: Mapping[str, Table], embedding: Mapping[str, Any]) -> str:
    """Return the id of a snapshot's content: hashes of all tables and the embedding model."""
    parts = [part for name in sorted(tables) for part in (name, tables[name].sha256)]
    return content_id("snapshot", str(embedding.get("fingerprint")), *parts)


class Snapshot:
    """A published snapshot; graph and vectors are always of the same version.

    Each file is hashed on first read, and refused if it differs from the published one: a damaged memory-mapped file
    could crash the process. Large files are hashed once on a machine, and again if they change: 1.9 GB of vectors take
    two seconds.

    `checked` says that files need not be compared with their hashes.
    """

    def __init__(self, folder: Folder, *, checked: bool = True) -> None:
        self.folder = folder
        self._checked = checked
        self._whole_tables: set[str] = set()
        try:
            self.manifest = read_manifest(folder)
        except ArtifactError as error:
            raise SnapshotError(f"is not a readable snapshot ({error.what})", folder.uri) from error
        found = self.manifest.schema_version
        if found != SCHEMA_VERSION:
            what = f"has schema version {found}, this package reads {SCHEMA_VERSION}"
            store = folder.uri.rsplit("/", 2)[0]
            rebuild = f"Rebuild it: {command('index', '--full-refresh', store=store)}"
            update = "Read it with the release of this package that wrote it, or a newer one"
            raise SnapshotError(what, folder.uri, update if found > SCHEMA_VERSION else rebuild)

    @classmethod
    def of(cls, folder: Folder, manifest: Manifest) -> Snapshot:
        """Write the manifest of a folder's tables, and open the result."""
        folder.write_json(MANIFEST_FILE, manifest.as_dict(), durable=True)
        return cls(folder)

    @property
    def snapshot_id(self) -> str:
        """Id of the snapshot."""
        return self.manifest.snapshot_id

    def table(self, name: str, columns: list[str] | None = None) -> pa.Table:
        """Return a table of the snapshot, memory-mapped if it is an Arrow file.

        Columns that readers map are read from the copy (`schemas.MAPPED`).
        """
        copy = schemas.MAPPED.get(name)
        if copy and columns and {*columns} <= {*schemas.SCHEMAS[copy].names}:
            name = copy
        with self._reading(name):
            if name in ARROW_TABLES:
                data = self.folder.open_arrow(ARROW_TABLES[name])
                return data.select(columns) if columns else data
            return self.folder.read_table(name, columns)

    @contextmanager
    def _reading(self, name: str) -> Iterator[None]:
        try:
            if self._checked and name not in self._whole_tables:
                self._check_once(name)
            yield
        except (ArtifactError, SnapshotError) as error:
            if self.folder.exists(MANIFEST_FILE):
                raise
            what = "the snapshot was removed since it was opened"
            hint = "Open the store again; `snapshots gc --keep` says how many older ones stay"
            raise SnapshotError(what, self.folder.uri, hint) from error

    def _check_once(self, name: str) -> None:
        """Compare a file with its hash, a large one only if no process did since it changed."""
        target = Path(self.folder.path(file_of(name)))
        try:
            found = target.stat() if self.folder.is_local else None
            if found is None or found.st_size < _LARGE or name not in self.manifest.tables:
                return self.verify([name])
            state = f"{found.st_size} {found.st_ctime_ns} {found.st_ino}"
            key = content_id("whole", str(target), state, self.manifest.tables[name].sha256)
            made_once(f"whole/{key}", lambda _: self.verify([name]))
        except OSError:  # the file was removed, or the cache is full or read-only
            return self.verify([name])
        self._whole_tables.add(name)
        return None

    def document(self, uri: str) -> dict[str, Any]:
        """Return the row of the document with this uri (source name and path)."""
        if found := self.find_rows("documents", "uri", uri).to_pylist():
            return dict(found[0])
        uris = self.table("documents", ["uri"])["uri"].to_pylist()
        near = difflib.get_close_matches(uri, uris, n=_NEAR, cutoff=0.4)
        near += [one for one in uris if one.endswith(f"/{uri}") and one not in near][:_NEAR]
        hint = f"Did you mean {' or '.join(near)}?" if near else ""
        hint = hint or f"It holds {len(uris)} documents, such as {', '.join(uris[:_NEAR])}"
        raise SnapshotError(f"there is no document '{uri}'", self.folder.uri, hint)

    def rows_of_document(self, name: str, document_id: str) -> list[dict[str, Any]]:
        """Return a document's rows of a Parquet table, in order."""
        return list(self.find_rows(name, "document_id", document_id).to_pylist())

    def find_rows(self, name: str, key: str, value: str, columns: list[str] | None = None) -> pa.Table:
        """Return the rows of a Parquet table with this value in a text column, or some of their columns.

        Raises as `table` does.
        """
        with self._reading(name):
            return self.folder.find_rows(name, key, value, columns)

    def verify(self, names: Iterable[str] | None = None) -> None:
        """Compare files with the manifest, and the manifest with the snapshot's id.

        `names` are the tables to compare; by default all, and the id, a hash of their hashes.
        """
        tables = self.manifest.tables
        content = content_snapshot_id(tables, self.manifest.embedding)
        if names is None and self.snapshot_id != content:
            what = f"its id {self.snapshot_id} is not that of its content, {content}"
            hint = "Index again: a snapshot that was altered is not used"
            raise SnapshotError(what, self.folder.uri, hint)
        for name in tables if names is None else names:
            if name not in tables:
                raise SnapshotError(f"the manifest names no table '{name}'", self.folder.uri)
            check_table(self.folder, name, tables[name])
            self._whole_tables.add(name)


class Store:
    """A folder of snapshots with a pointer to the current one.

    `uri` is a folder or URI, which need not exist yet.
    """

    def __init__(self, uri: str) -> None:
        self.folder = Folder(uri)
        self.staging = self.folder / "staging"

    def current_id(self) -> str | None:
        """Return the current snapshot's id; None if `CURRENT` is absent or invalid."""
        if not self.folder.exists(CURRENT_FILE):
            return None
        found = self.folder.read_bytes(CURRENT_FILE).decode("ascii", "replace").strip()
        return found if is_id(found) else None

    def set_current(self, snapshot_id: str, *, instead_of: str | None) -> None:
        """Replace the pointer atomically.

        `instead_of` is what the caller knows to be current: on S3 the pointer is written only if that still holds;
        elsewhere a lock ensures it (`storage.locks`).
        """
        pointer = f"{snapshot_id}\n".encode("ascii")
        if not is_s3(self.folder.uri):
            self.folder.write_bytes(CURRENT_FILE, pointer, durable=True)
            return
        uri = f"{self.folder.uri}/{CURRENT_FILE}"
        try:
            known = version(uri)
            if self.current_id() not in (instead_of, snapshot_id):
                raise ConflictError(uri)
            write_if(uri, pointer, known)
        except ConflictError as error:
            if self.current_id() == snapshot_id:  # a write whose answer was lost is made twice
                return
            what = f"{self.current_id()} was published meanwhile, instead of {instead_of}"
            hint = "Nothing was changed. Run again: finished work is found and reused"
            raise SnapshotError(what, uri, hint) from error

    def snapshot_folder(self, snapshot_id: str) -> Folder:
        """Return the folder of a snapshot."""
        return self.folder / "snapshots" / snapshot_id

    def snapshot_ids(self) -> list[str]:
        """Return the ids of the published snapshots with readable manifests, oldest first."""
        return [manifest.snapshot_id for manifest in self.manifests()]

    def manifests(self) -> list[Manifest]:
        """Return the manifests of all published snapshots, oldest first.

        Manifests of an older schema, which `open` refuses, are included. Unreadable ones are logged.
        """
        found = []
        for name in (self.folder / "snapshots").names():
            try:
                folder = self.snapshot_folder(name)
                found.append(_in_its_place(read_manifest(folder), folder))
            except (ArtifactError, SnapshotError) as error:
                log.warning("%s", error)
        return sorted(found, key=lambda manifest: (manifest.published_at, manifest.snapshot_id))

    def unreadable(self) -> list[str]:
        """Return the folders whose manifest is damaged, or missing (partly removed)."""
        known = set(self.snapshot_ids())
        return [name for name in (self.folder / "snapshots").names() if name not in known]

    def damaged(self) -> list[str]:
        """Return the folders whose manifest exists but cannot be read."""
        return [name for name in self.unreadable() if self.snapshot_folder(name).exists(MANIFEST_FILE)]

    def open(self, snapshot_id: str | None = None) -> Snapshot:
        """Open a snapshot, the current one by default."""
        return self.opened(lambda snapshot: snapshot, snapshot_id)

    def opened(self, make: Callable[[Snapshot], Made], snapshot_id: str | None = None) -> Made:
        """Open a snapshot, the current one by default, and return `make(snapshot)`.

        If the current snapshot is removed meanwhile, because a run published another and garbage was collected, the new
        current one is opened.
        """
        while True:
            wanted = snapshot_id or self.current_id()
            if wanted is None:
                raise self._nothing_current()
            try:
                return make(self._snapshot(wanted))
            except (ArtifactError, SnapshotError):
                if snapshot_id is not None or self.current_id() == wanted:
                    raise

    def sources(self) -> tuple[str, ...]:
        """Return the sources of the current snapshot as `NAME=URI`; none if it is unreadable."""
        current = self.current_id()
        known = {manifest.snapshot_id: manifest.sources for manifest in self.manifests()}
        return tuple(f"{name}={uri}" for name, uri in known.get(current or "", {}).items())

    def require(self) -> None:
        """Refuse a folder that is not a store, such as a mistyped name."""
        if self.folder.is_file() or not self.folder.names():
            raise self._nothing_current()

    def _nothing_current(self) -> SnapshotError:
        uri = self.folder.uri
        if self.folder.is_file():
            hint = "Name the store by --store"
            return SnapshotError("is a file, and no folder of a store", uri, hint)
        if published := self.snapshot_ids():
            what = f"the file is lost or damaged, and {len(published)} snapshots are published"
            again = command("snapshots", "rollback", published[-1], store=uri)
            hint = f"Make one current: {again}"
            return SnapshotError(what, f"{uri}/{CURRENT_FILE}", hint)
        hint = f"Index documents first: {command('index', 'FOLDER', store=uri)}"
        return SnapshotError("nothing is published here", uri, hint)

    def _snapshot(self, snapshot_id: str) -> Snapshot:
        folder = self.snapshot_folder(snapshot_id)
        if not is_id(snapshot_id) or not folder.exists(MANIFEST_FILE):
            hint = f"Published: {', '.join(self.snapshot_ids()) or 'none'}"
            raise SnapshotError(f"there is no snapshot {snapshot_id}", self.folder.uri, hint)
        opened = Snapshot(folder)
        _in_its_place(opened.manifest, folder)
        return opened


def _in_its_place(manifest: Manifest, folder: Folder) -> Manifest:
    """Return a manifest, after checking that its folder has the snapshot's id."""
    if folder.uri.rpartition("/")[2] != manifest.snapshot_id:
        what = f"the manifest is of another snapshot, {manifest.snapshot_id}"
        raise SnapshotError(what, folder.uri)
    return manifest


def last_readable(store: Store, names: Iterable[str] | None = None) -> Snapshot | None:
    """Return the current snapshot if it is intact, else the newest intact one, if any.

    Skipped snapshots are logged. `names` are the tables to verify; all by default.
    """
    current = store.current_id()
    ids = [one for one in reversed(store.snapshot_ids()) if one != current]
    for snapshot_id in [current, *ids] if current else ids:
        try:
            snapshot = store.open(snapshot_id)
            snapshot.verify(names)
        except (ArtifactError, SnapshotError) as error:
            log.warning("snapshot %s is passed over: %s", snapshot_id, error)
        else:
            return snapshot
    return None


# Local copies of remote snapshots, for memory mapping.


def mirrored(snapshot: Snapshot) -> Snapshot:
    """Return a snapshot on the local disk: itself, or a copy verified by hashes."""
    if snapshot.folder.is_local:
        return snapshot

    def copy(target: Path) -> None:
        folder = Folder(target)
        for name, table in snapshot.manifest.tables.items():
            folder.copy_file(file_of(name), snapshot.folder)
            check_table(folder, name, table)
        Snapshot.of(folder, snapshot.manifest)

    with changing(CACHE_VARIABLE):
        return Snapshot(Folder(made_once(content_id("mirror", snapshot.folder.uri), copy)))
