"""Vector servers: their interface, and the names of their collections.

Rows are immutable under keys made of id, text hash and access labels (`fields`), in one collection per kind and
embedding model. So a load inserts only new rows and never changes rows of an older snapshot. Readers take collection
names from the manifest, never an alias.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.commands import brought_by, require
from graphrag_tasks.core.config import LABEL_PATTERN, LoadConfig
from graphrag_tasks.core.errors import ConfigError, QueryError
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.core.registry import Registry
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.snapshots.store import ARROW_TABLES

LABELS = "labels"  # The list field: the access labels of a chunk's document.

FIELDS: Mapping[str, tuple[str, ...]] = MappingProxyType({"chunk": ("document_id", LABELS, "media_type")})
"""Scalar fields by kind of vector.

Each follows from a row's key, so a row never changes: a chunk belongs to one document, whose media
type follows from its name, and its labels are part of the key. Entities and relations belong to
many documents and have none.
"""

Rows = dict[str, dict[str, Any]]  # Rows of a batch, by key.


def row_key(row_id: str, text_sha256: str, labels: Collection[str] = ()) -> str:
    """Return the key of a vector: hash of row id, text hash, and the sorted access labels."""
    return content_id("vector", row_id, text_sha256, *labels)


def row_keys(rows: pa.Table) -> Iterator[str]:
    """Return the key of each row, from its id, text_sha256 and, if present, labels."""
    columns = [name for name in ("id", "text_sha256", LABELS) if name in rows.column_names]
    return map(row_key, *(rows[name].to_pylist() for name in columns))


def by_key(rows: pa.Table, size: int) -> Iterator[Rows]:
    """Yield rows by key, in batches of `size`."""
    for batch in rows.to_batches(max_chunksize=size):
        part = pa.Table.from_batches([batch])
        yield dict(zip(row_keys(part), part.to_pylist(), strict=True))


def rows_of(folder: Folder, name: str) -> pa.Table:
    """Return a snapshot's vectors of one kind, with their filter fields."""
    vectors = folder.open_arrow(ARROW_TABLES[name])
    if name != "chunk_vectors":
        return vectors
    chunks = folder.read_table("chunks", ["chunk_id", "document_id"])
    documents = folder.read_table("documents", ["document_id", "media_type", LABELS])
    return with_fields(vectors, chunks, documents)


def with_fields(vectors: pa.Table, chunks: pa.Table, documents: pa.Table) -> pa.Table:
    """Append the columns of `FIELDS["chunk"]` to the vectors of chunks."""
    of_chunk = pc.index_in(vectors["id"], value_set=chunks["chunk_id"])
    document_ids = chunks["document_id"].take(of_chunk)
    of_document = pc.index_in(document_ids, value_set=documents["document_id"])
    labels = pa.array([document or [] for document in documents[LABELS].to_pylist()], pa.list_(pa.string()))
    return (
        vectors.append_column("document_id", document_ids)
        .append_column(LABELS, labels.take(of_document.combine_chunks()))
        .append_column("media_type", documents["media_type"].take(of_document))
    )


# Filters of a vector server's search, as Milvus expressions from validated values.

Where = Mapping[str, Collection[str]]  # Allowed values by scalar field: a row must have one of them.

ANYWHERE: Where = MappingProxyType({})

_VALUE = re.compile(r"[\w.:/+-]{1,64}", re.ASCII)
_LABEL = re.compile(LABEL_PATTERN)


def condition(where: Where) -> str:
    """Return the filter expression for rows in which every field has an allowed value."""
    return " and ".join(_one_of(field, list(values)) for field, values in where.items())


def _one_of(field: str, values: list[str]) -> str:
    pattern = _LABEL if field == LABELS else _VALUE
    odd = [value for value in values if not pattern.fullmatch(value)]
    if odd or not (field.isascii() and field.isidentifier()):
        raise QueryError(f"a filter may not hold {odd or field!r}", f"filters, {field}")
    listed = json.dumps(values)
    return f"array_contains_any({field}, {listed})" if field == LABELS else f"{field} in {listed}"


@dataclass(frozen=True)
class VectorHit:
    """A search result: row key (`fields.row_key`), id, and cosine with the query."""

    key: str
    id: str
    score: float


class VectorStore(Protocol):
    """A vector server, for the load stage and readers.

    Every method raises `TransientError` where the server fails.
    """

    def insert_new(self, collection: str, vectors: pa.Table) -> int:
        """Insert the rows whose keys the collection lacks; return their number.

        An absent collection is created. Columns beyond those of `schemas.vectors_schema` are scalar fields.
        """

    def search(self, collection: str, vector: Collection[float], k: int, where: Where = ANYWHERE) -> list[VectorHit]:
        """Return the k rows nearest to a unit vector, best first, of any snapshot."""

    def dimension(self, collection: str) -> int | None:
        """Return the collection's dimension, or None where there is no such collection."""

    def vectors(self, collection: str, keys: Collection[str]) -> dict[str, Sequence[float]]:
        """Return the vectors of rows by key, without missing rows."""

    def remove_others(self, collection: str, kept: Callable[[str], bool]) -> int:
        """Remove the rows of a collection whose key is not kept; return their number."""

    def close(self) -> None:
        """Release the connection, and the lock of an embedded server."""


def collection_name(kind: str, model_fingerprint: str) -> str:
    """Return the collection's name for a kind, with its scalar fields, and an embedding model."""
    return f"{kind}_{content_id('collection', model_fingerprint, *FIELDS.get(kind, ()))[:12]}"


def rows_in(collection: str, folder: Folder, name: str, embedding: Mapping[str, Any]) -> pa.Table:
    """Return a snapshot's vectors of one kind as rows of its collection.

    Collections of older versions lack fields, and so parts of a row's key.
    """
    model = str(embedding.get("fingerprint"))
    if collection == collection_name(name.removesuffix("_vectors"), model):
        return rows_of(folder, name)
    return folder.open_arrow(ARROW_TABLES[name])


VECTOR_STORES: Registry[VectorStore] = Registry(
    "vector store",
    "graphrag_tasks.vector_stores",
    "load.vector_store",
    {
        "milvus_lite": "graphrag_tasks.embed.vectors.milvus:open_milvus_lite",
        "milvus": "graphrag_tasks.embed.vectors.milvus:open_milvus_server",
    },
)
"""Factories of vector stores; each takes the store's folder and the `load` settings."""

AUTO, LITE, NO_VECTOR_STORE = "auto", "milvus_lite", "none"


def chosen(store: Folder, config: LoadConfig) -> str:
    """Return the vector store of a store: `auto` is Milvus Lite where installed and usable."""
    if config.vector_store != AUTO:
        return config.vector_store
    return LITE if store.is_local and find_spec(LITE) else NO_VECTOR_STORE


def check_vector_store(store: Folder, config: LoadConfig) -> None:
    """Raise `ConfigError` for an unknown vector store, or for Milvus Lite on a remote store."""
    name = chosen(store, config)
    if name == NO_VECTOR_STORE:
        return
    if name == LITE:
        require("milvus-lite")
    with brought_by("milvus"):
        VECTOR_STORES.factory(name)
    if name == LITE and not store.is_local:
        raise ConfigError(
            "milvus_lite needs a store on the local disk",
            f"load.vector_store, store {store.uri}",
            "Set load.vector_store = 'none': readers take vectors from the snapshot",
        )


def open_vector_store(store: Folder, config: LoadConfig) -> VectorStore | None:
    """Return the configured vector store, or None for `none`."""
    check_vector_store(store, config)
    name = chosen(store, config)
    return None if name == NO_VECTOR_STORE else VECTOR_STORES.factory(name)(store, config)
