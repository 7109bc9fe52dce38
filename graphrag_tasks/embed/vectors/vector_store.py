"""Vector servers: their interface, and the names of their collections.

Rows are immutable under keys made of id, text hash and access labels (`fields`), in one collection
per kind and embedding model, so that a load inserts only what is new and never changes what an
older snapshot names. Readers take the collections' names from the manifest, never an alias.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Protocol

import pyarrow as pa

from graphrag_tasks.core.config import LoadConfig
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.core.extras import brought_by, require
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.core.registry import Registry
from graphrag_tasks.embed.vectors.conditions import ANYWHERE, Where
from graphrag_tasks.embed.vectors.fields import FIELDS, rows_of
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.snapshots.store import ARROW_TABLES


@dataclass(frozen=True)
class VectorHit:
    """A row that a search found: its key (`fields.row_key`), id, and cosine with the query."""

    key: str
    id: str
    score: float


class VectorStore(Protocol):
    """A vector server, as the load stage and readers use it.

    Every method raises `TransientError` where the server does not do what it is asked.
    """

    def insert_new(self, collection: str, vectors: pa.Table) -> int:
        """Insert the rows whose key the collection does not hold yet; return their number.

        A collection is made where it is absent. Columns beyond those of `schemas.vectors_schema`
        are scalar fields.

        Raises:
            TransientError: The collection does not hold every row afterwards.
        """

    def search(
        self, collection: str, vector: Collection[float], k: int, where: Where = ANYWHERE
    ) -> list[VectorHit]:
        """Return the k rows nearest to a unit vector, best first, whichever snapshot names them.

        Raises:
            QueryError: A field or a value is not one that a filter may hold.
            TransientError: There is no such collection, or no such field.
        """

    def dimension(self, collection: str) -> int | None:
        """Return the numbers of a vector, or None where there is no such collection."""

    def vectors(self, collection: str, keys: Collection[str]) -> dict[str, Sequence[float]]:
        """Return the vectors of rows by their keys, without those that are not there."""

    def remove_others(self, collection: str, kept: Callable[[str], bool]) -> int:
        """Remove the rows of a collection whose key is not kept, and return their number."""

    def close(self) -> None:
        """Release the connection, and the lock of an embedded server."""


def collection_name(kind: str, model_fingerprint: str) -> str:
    """Return the physical collection of one kind, with its scalar fields, and model."""
    return f"{kind}_{content_id('collection', model_fingerprint, *FIELDS.get(kind, ()))[:12]}"


def rows_in(collection: str, folder: Folder, name: str, embedding: Mapping[str, Any]) -> pa.Table:
    """Return a snapshot's vectors of one kind as the rows that its collection has of them.

    Collections that an older version made lack fields, and with them parts of a row's key.
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
"""Factories take the folder of the store and the settings of `load`."""

AUTO, LITE, NO_VECTOR_STORE = "auto", "milvus_lite", "none"


def chosen(store: Folder, config: LoadConfig) -> str:
    """Return the vector store of a store: `auto` is Milvus Lite where it is and can be."""
    if config.vector_store != AUTO:
        return config.vector_store
    return LITE if store.is_local and find_spec(LITE) else NO_VECTOR_STORE


def check_vector_store(store: Folder, config: LoadConfig) -> None:
    """Raise `ConfigError` for an unknown vector store, or for Milvus Lite on a remote store.

    Raises:
        MissingDependencyError: The packages for Milvus are not installed.
    """
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
    """Return the configured vector store, or None for `none`.

    Raises:
        ConfigError: As `check_vector_store`.
        TransientError: The server does not answer, or another process holds the folder.
    """
    check_vector_store(store, config)
    name = chosen(store, config)
    return None if name == NO_VECTOR_STORE else VECTOR_STORES.factory(name)(store, config)
