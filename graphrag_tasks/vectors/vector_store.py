"""Vector servers: what the load stage asks of one, and what its rows and collections are called.

Rows are immutable under keys made of id, text hash and access labels (`fields`), in one collection
per kind and embedding model, so that a load inserts only what is new and never changes what an
older snapshot names.
Readers take the collections' names from the manifest, never an alias.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from graphrag_tasks.core.config import LoadConfig
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.snapshots.store import ARROW_TABLES
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.files import changing
from graphrag_tasks.vectors.conditions import ANYWHERE, Where
from graphrag_tasks.vectors.fields import FIELDS, rows_of

MILVUS_FILE = "milvus/vectors.db"
"""Milvus Lite's folder below the store."""

TOKEN_VARIABLE = "GRAPHRAG_MILVUS_TOKEN"  # noqa: S105 - its name
"""Environment variable with the server's token, `user:password`; never a setting or an artifact."""


@dataclass(frozen=True)
class VectorHit:
    """A row that a search found.

    Attributes:
        key: Of the row (`fields.row_key`): says whether a snapshot names it.
        id: chunk_id, entity_id or relation_id.
        score: Inner product with the query, of unit vectors the cosine.
    """

    key: str
    id: str
    score: float


class VectorStore(Protocol):
    """What the load stage, and a reader of the server, ask of it.

    Every method raises `TransientError` where the server does not do what it is asked.
    """

    def insert_new(self, collection: str, vectors: pa.Table) -> int:
        """Insert the rows whose key the collection does not hold yet.

        Args:
            collection: Physical collection; it is made where it is absent.
            vectors: Rows of `schemas.vectors_schema`; further columns are scalar fields.

        Returns:
            Number of rows inserted.

        Raises:
            TransientError: The collection does not hold every row afterwards.
        """

    def search(
        self, collection: str, vector: Collection[float], k: int, where: Where = ANYWHERE
    ) -> list[VectorHit]:
        """Return the rows nearest to a vector, best first, whichever snapshot names them.

        Args:
            collection: Physical collection, from the manifest.
            vector: Unit vector of the collection's model.
            k: Rows wanted.
            where: By scalar field, the values of which one must be the row's.

        Raises:
            QueryError: A field or a value is not one that a filter may hold.
            TransientError: There is no such collection, or no such field.
        """

    def remove_others(self, collection: str, kept: Callable[[str], bool]) -> int:
        """Remove the rows of a collection whose key is not kept.

        Args:
            collection: Physical collection; nothing happens where it is absent.
            kept: Tells of a key whether its row stays.

        Returns:
            Number of rows removed.
        """

    def close(self) -> None:
        """Release the connection, and the lock of an embedded server."""


def collection_name(kind: str, model_fingerprint: str) -> str:
    """Return the physical collection of one kind, with its scalar fields, and model."""
    return f"{kind}_{content_id('collection', model_fingerprint, *FIELDS.get(kind, ()))[:12]}"


def rows_in(collection: str, folder: Folder, name: str, embedding: Mapping[str, Any]) -> pa.Table:
    """Return a snapshot's vectors of one kind as the rows that its collection has of them.

    Collections that an older version made lack fields, and with them what enters a row's key.

    Args:
        collection: From the snapshot's manifest.
        folder: Of the snapshot.
        name: One of `schemas.VECTOR_TABLES`.
        embedding: From the snapshot's manifest.
    """
    model = str(embedding.get("fingerprint"))
    if collection == collection_name(name.removesuffix("_vectors"), model):
        return rows_of(folder, name)
    return folder.open_arrow(ARROW_TABLES[name])


def check_vector_store(store: Folder, config: LoadConfig) -> None:
    """Refuse a vector server that the store cannot have.

    Raises:
        ConfigError: Milvus Lite is asked for on a store that is not a local folder.
    """
    if config.vector_store == "milvus_lite" and not store.is_local:
        raise ConfigError(
            "milvus_lite needs a store on the local disk",
            f"load.vector_store, store {store.uri}",
            "Set load.vector_store = 'none': readers take vectors from the snapshot",
        )


def open_vector_store(store: Folder, config: LoadConfig) -> VectorStore | None:
    """Return the configured vector server, or None where there is none.

    Args:
        store: The store that the server's own files lie in.
        config: Which server, rows per insert, and how long to try.

    Raises:
        ConfigError: Milvus Lite is asked for on a store that is not a local folder.
        TransientError: The server does not answer, or another process holds the folder.
    """
    check_vector_store(store, config)
    if config.vector_store == "none":
        return None
    from graphrag_tasks.vectors.milvus import MilvusStore

    if config.vector_store == "milvus":
        token = os.environ.get(TOKEN_VARIABLE, "")
        return MilvusStore(config.milvus_uri, config, token=token)
    path = Path(store.path(MILVUS_FILE))
    with changing(store.uri):
        path.parent.mkdir(parents=True, exist_ok=True)
    return MilvusStore(str(path), config, on_close=_release)


def _release(path: str) -> None:
    """Free the folder's lock, which closing the client alone would keep."""
    from milvus_lite.server_manager import server_manager_instance

    server_manager_instance.release_server(path)
