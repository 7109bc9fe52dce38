"""Vector servers: their interface, and the names of their collections.

Rows are immutable under keys made of id, text hash and access labels (`fields`), in one collection per kind and
embedding model. So a load inserts only new rows and never changes rows of an older snapshot. Readers take collection
names from the manifest, never an alias.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Protocol

import pyarrow as pa

from graphrag_tasks.core.commands import brought_by, require
from graphrag_tasks.core.config import LoadConfig
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.core.registry import Registry
from graphrag_tasks.embed.vectors.fields import ANYWHERE, FIELDS, Where, rows_of
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.snapshots.store import ARROW_TABLES


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
