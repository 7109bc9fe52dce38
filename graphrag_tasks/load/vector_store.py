"""Vector servers: a Protocol, and the one adapter for Milvus, embedded or a server.

Rows are immutable under keys made of id and text hash, in one collection per kind and embedding
model, so that a load inserts only what is new and never changes what an older snapshot names.
Readers take the collections' names from the manifest, never an alias.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from graphrag_tasks.artifacts import Folder
from graphrag_tasks.config import LoadConfig
from graphrag_tasks.errors import ConfigError, TransientError
from graphrag_tasks.ids import content_id

MILVUS_FILE = "milvus/vectors.db"
"""Milvus Lite's folder below the store."""

TOKEN_VARIABLE = "GRAPHRAG_MILVUS_TOKEN"  # noqa: S105 - its name
"""Environment variable with the server's token, `user:password`; never a setting or an artifact."""

_KEY_LENGTH = 64
_CONNECT_SECONDS = 10


class VectorStore(Protocol):
    """What the load stage asks of a vector server."""

    def insert_new(self, collection: str, vectors: pa.Table) -> int:
        """Insert the rows whose key the collection does not hold yet; return their number."""

    def remove_others(self, collection: str, kept: Callable[[str], bool]) -> int:
        """Remove the rows whose key is not kept, and return their number."""

    def close(self) -> None:
        """Release the connection, and the lock of an embedded server."""


def row_key(row_id: str, text_sha256: str) -> str:
    """Return the key of a vector: what it is of, and the text it was made from."""
    return content_id("vector", row_id, text_sha256)


def collection_name(kind: str, model_fingerprint: str) -> str:
    """Return the physical collection of one kind and model."""
    return f"{kind}_{model_fingerprint[:12]}"


def open_vector_store(store: Folder, config: LoadConfig) -> VectorStore | None:
    """Return the configured vector server, or None where there is none.

    Args:
        store: The store that the server's own files lie in.
        config: Which server, and rows per insert.

    Raises:
        ConfigError: Milvus Lite is asked for on a store that is not a local folder.
        TransientError: The server does not answer, or another process holds the folder.
    """
    if config.vector_store == "none":
        return None
    if config.vector_store == "milvus":
        token = os.environ.get(TOKEN_VARIABLE, "")
        return MilvusStore(config.milvus_uri, config.batch_rows, token=token)
    if not store.is_local:
        raise ConfigError(
            "milvus_lite needs a store on the local disk",
            f"load.vector_store, store {store.uri}",
            "Set load.vector_store = 'none': readers take vectors from the snapshot",
        )
    path = Path(store.path(MILVUS_FILE))
    path.parent.mkdir(parents=True, exist_ok=True)
    return MilvusStore(str(path), config.batch_rows, on_close=_release)


def _release(path: str) -> None:
    """Free the folder's lock, which closing the client alone would keep."""
    from milvus_lite.server_manager import server_manager_instance

    server_manager_instance.release_server(path)


def _is_no_missing_method(record: logging.LogRecord) -> bool:
    """Drop the traceback of a call that pymilvus tries and Milvus Lite does not offer.

    pymilvus asks for a timestamp on connect and does without when the answer is "not
    implemented"; the server inside this process would log an error each time.
    """
    return not (record.exc_info and isinstance(record.exc_info[1], NotImplementedError))


class MilvusStore:
    """Milvus: a server, or embedded in this process on a folder that one process may open.

    Args:
        uri: Of the server, or the folder's path.
        batch_rows: Rows per insert.
        token: `user:password` of the server.
        on_close: Called with the uri when the store is closed.

    Raises:
        TransientError: The server does not answer, or another process holds the folder.
    """

    def __init__(
        self,
        uri: str,
        batch_rows: int,
        *,
        token: str = "",
        on_close: Callable[[str], None] = lambda _uri: None,
    ) -> None:
        from pymilvus import MilvusClient
        from pymilvus.exceptions import MilvusException

        logging.getLogger("grpc._server").addFilter(_is_no_missing_method)
        self._uri = uri
        self._batch_rows = batch_rows
        self._on_close = on_close
        try:
            self._client: Any = MilvusClient(uri, token=token, timeout=_CONNECT_SECONDS)
        except MilvusException as error:
            raise TransientError(
                f"Milvus could not be opened: {error}",
                uri,
                "Start the server; a folder can be held by one process only: end it, or wait",
            ) from error

    def insert_new(self, collection: str, vectors: pa.Table) -> int:
        """Insert the rows whose key the collection does not hold yet.

        Args:
            collection: Physical collection; it is made where it is absent.
            vectors: Rows of `schemas.vectors_schema`.

        Returns:
            Number of rows inserted.

        Raises:
            TransientError: The server refused, or does not hold every row afterwards.
        """
        if not vectors.num_rows:
            return 0
        dimension = vectors.schema.field("vector").type.list_size
        with self._speaking(collection):
            self._create(collection, dimension)
            inserted = sum(self._insert_batch(collection, rows) for rows in self._batches(vectors))
            self._client.flush(collection)
            missing = sum(len(self._new(collection, rows)) for rows in self._batches(vectors))
        if missing:
            raise TransientError(
                f"{missing} of {vectors.num_rows} rows are not there after the insert",
                f"load, {collection}",
            )
        return inserted

    def remove_others(self, collection: str, kept: Callable[[str], bool]) -> int:
        """Remove the rows of a collection whose key is not kept.

        Args:
            collection: Physical collection; nothing happens where it is absent.
            kept: Tells of a key whether its row stays.

        Returns:
            Number of rows removed.

        Raises:
            TransientError: The server refused.
        """
        with self._speaking(collection):
            if not self._client.has_collection(collection):
                return 0
            self._client.load_collection(collection)
            rows = self._client.query_iterator(
                collection, batch_size=self._batch_rows, output_fields=["key"]
            )
            doomed: list[str] = []
            while batch := rows.next():
                doomed += [row["key"] for row in batch if not kept(row["key"])]
            rows.close()
            for start in range(0, len(doomed), self._batch_rows):
                self._client.delete(collection, ids=doomed[start : start + self._batch_rows])
            self._client.flush(collection)
        return len(doomed)

    def close(self) -> None:
        """Close the client, and release the folder of an embedded server."""
        self._client.close()
        self._on_close(self._uri)

    @contextmanager
    def _speaking(self, collection: str) -> Iterator[None]:
        from pymilvus.exceptions import MilvusException

        try:
            yield
        except MilvusException as error:
            raise TransientError(f"Milvus refused: {error}", f"load, {collection}") from error

    def _create(self, collection: str, dimension: int) -> None:
        from pymilvus import DataType

        if self._client.has_collection(collection):
            self._client.load_collection(collection)
            return
        schema = self._client.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("key", DataType.VARCHAR, max_length=_KEY_LENGTH, is_primary=True)
        schema.add_field("id", DataType.VARCHAR, max_length=_KEY_LENGTH)
        schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dimension)
        index = self._client.prepare_index_params()
        index.add_index("vector", index_type="FLAT", metric_type="IP")
        self._client.create_collection(collection, schema=schema, index_params=index)

    def _batches(self, vectors: pa.Table) -> Iterator[dict[str, dict[str, Any]]]:
        for batch in vectors.to_batches(max_chunksize=self._batch_rows):
            yield {row_key(row["id"], row["text_sha256"]): row for row in batch.to_pylist()}

    def _new(self, collection: str, rows: dict[str, dict[str, Any]]) -> list[str]:
        found = self._client.get(collection, ids=list(rows), output_fields=["key"])
        known = {hit["key"] for hit in found}
        return [key for key in rows if key not in known]

    def _insert_batch(self, collection: str, rows: dict[str, dict[str, Any]]) -> int:
        new = [
            {"key": key, "id": rows[key]["id"], "vector": rows[key]["vector"]}
            for key in self._new(collection, rows)
        ]
        if new:
            self._client.insert(collection, new)
        return len(new)
