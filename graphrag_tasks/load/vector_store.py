"""Vector servers: a Protocol, and the adapter for Milvus Lite.

Rows are immutable under keys made of id and text hash, in one collection per kind and embedding
model, so that a load inserts only what is new and never changes what an older snapshot names.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from graphrag_tasks.artifacts import Folder
from graphrag_tasks.config import LoadConfig
from graphrag_tasks.errors import ConfigError, TransientError
from graphrag_tasks.ids import content_id

MILVUS_FILE = "milvus/vectors.db"
"""Milvus Lite's folder below the store."""

_KEY_LENGTH = 64


class VectorStore(Protocol):
    """What the load stage asks of a vector server."""

    def insert_new(self, collection: str, vectors: pa.Table) -> int:
        """Insert the rows whose key the collection does not hold yet; return their number."""

    def close(self) -> None:
        """Release the connection, and the lock of an embedded server."""


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
    """
    if config.vector_store == "none":
        return None
    if not store.is_local:
        raise ConfigError(
            "milvus_lite needs a store on the local disk",
            f"load.vector_store, store {store.uri}",
            "Set load.vector_store = 'none': readers take vectors from the snapshot",
        )
    return MilvusLiteStore(Path(store.path(MILVUS_FILE)), config.batch_rows)


def _is_no_missing_method(record: logging.LogRecord) -> bool:
    """Drop the traceback of a call that pymilvus tries and Milvus Lite does not offer.

    pymilvus asks for a timestamp on connect and does without when the answer is "not
    implemented"; the server inside this process would log an error each time.
    """
    return not (record.exc_info and isinstance(record.exc_info[1], NotImplementedError))


class MilvusLiteStore:
    """Milvus embedded in this process, on a local folder that one process at a time may open.

    Args:
        path: The database folder; it is made where it is absent.
        batch_rows: Rows per insert.

    Raises:
        TransientError: Another process holds the folder.
    """

    def __init__(self, path: Path, batch_rows: int) -> None:
        from pymilvus import MilvusClient
        from pymilvus.exceptions import MilvusException

        path.parent.mkdir(parents=True, exist_ok=True)
        logging.getLogger("grpc._server").addFilter(_is_no_missing_method)
        self._path = path
        self._batch_rows = batch_rows
        try:
            self._client: Any = MilvusClient(str(path))
        except MilvusException as error:
            raise TransientError(
                f"Milvus Lite could not be opened: {error}",
                str(path),
                "Only one process can hold it: end the other one, or wait for it",
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
        from pymilvus.exceptions import MilvusException

        if not vectors.num_rows:
            return 0
        dimension = vectors.schema.field("vector").type.list_size
        try:
            self._create(collection, dimension)
            inserted = sum(self._insert_batch(collection, rows) for rows in self._batches(vectors))
            self._client.flush(collection)
            missing = sum(len(self._new(collection, rows)) for rows in self._batches(vectors))
        except MilvusException as error:
            raise TransientError(f"Milvus refused: {error}", f"load, {collection}") from error
        if missing:
            raise TransientError(
                f"{missing} of {vectors.num_rows} rows are not there after the insert",
                f"load, {collection}",
            )
        return inserted

    def close(self) -> None:
        """Close the client and release the folder's lock, which the client alone would keep."""
        from milvus_lite.server_manager import server_manager_instance

        self._client.close()
        server_manager_instance.release_server(str(self._path))

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
            yield {
                content_id("vector", row["id"], row["text_sha256"]): row
                for row in batch.to_pylist()
            }

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
