"""The one adapter for Milvus, embedded or a server."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
from pymilvus import MilvusClient

from graphrag_tasks.core.config import LoadConfig
from graphrag_tasks.core.errors import TransientError
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.files import changing
from graphrag_tasks.vectors.collection import keys_in, open_collection
from graphrag_tasks.vectors.conditions import ANYWHERE, Where, condition
from graphrag_tasks.vectors.fields import Rows, by_key
from graphrag_tasks.vectors.patience import ask, is_no_missing_method
from graphrag_tasks.vectors.vector_store import VectorHit

MILVUS_FILE = "milvus/vectors.db"
"""Milvus Lite's folder below the store."""

TOKEN_VARIABLE = "GRAPHRAG_MILVUS_TOKEN"  # noqa: S105 - its name
"""Environment variable with the server's token, `user:password`; never a setting or an artifact."""

_REQUEST_SECONDS = 30
_Answer = TypeVar("_Answer")


class MilvusStore:
    """Milvus: a server, or embedded in this process on a folder that one process may open.

    A request that fails is made again until `config.retry_seconds` have passed since the first
    try; none does harm twice, as rows are upserted by key.

    Args:
        uri: Of the server, or the folder's path.
        config: Rows per insert, and how long to try.
        token: `user:password` of the server.
        on_close: Called with the uri when the store is closed.

    Raises:
        TransientError: The server does not answer, or another process holds the folder.
    """

    def __init__(
        self,
        uri: str,
        config: LoadConfig,
        *,
        token: str = "",
        on_close: Callable[[str], None] = lambda _uri: None,
    ) -> None:
        logging.getLogger("grpc._server").addFilter(is_no_missing_method)
        self._uri = uri
        self._config = config
        self._on_close = on_close
        self._client: Any = self._ask(
            uri, lambda: MilvusClient(uri, token=token, timeout=_REQUEST_SECONDS)
        )

    def insert_new(self, collection: str, vectors: pa.Table) -> int:
        """Insert the rows whose key the collection does not hold yet; return their number."""
        if not vectors.num_rows:
            return 0
        self._ask(collection, partial(open_collection, self._client, collection, vectors.schema))
        size = self._config.batch_rows
        inserted = sum(self._insert(collection, rows) for rows in by_key(vectors, size))
        self._flush(collection)
        missing = sum(len(self._new(collection, rows)) for rows in by_key(vectors, size))
        if missing:
            raise TransientError(
                f"{missing} of {vectors.num_rows} rows are not there after the insert",
                f"load, {collection}",
            )
        return inserted

    def search(
        self, collection: str, vector: Collection[float], k: int, where: Where = ANYWHERE
    ) -> list[VectorHit]:
        """Return the rows nearest to a vector, best first, whichever snapshot names them."""
        fitting = condition(where)

        def search() -> Any:  # noqa: ANN401 - pymilvus is untyped
            self._client.load_collection(collection)
            return self._client.search(
                collection, [list(vector)], filter=fitting, limit=k, output_fields=["key", "id"],
                timeout=_REQUEST_SECONDS,
            )  # fmt: skip

        (hits,) = self._ask(collection, search)
        # in the hit itself, an older server calls the key "id"
        found = [(hit["entity"], hit["distance"]) for hit in hits]
        return [VectorHit(row["key"], row["id"], score) for row, score in found]

    def remove_others(self, collection: str, kept: Callable[[str], bool]) -> int:
        """Remove the rows of a collection whose key is not kept, and return their number."""
        if not self._ask(collection, lambda: self._client.has_collection(collection)):
            return 0
        size = self._config.batch_rows
        keys = self._ask(collection, lambda: list(keys_in(self._client, collection, size)))
        doomed = [key for key in keys if not kept(key)]
        for start in range(0, len(doomed), size):
            ids = doomed[start : start + size]
            self._ask(collection, partial(self._client.delete, collection, ids=ids))
        self._flush(collection)
        return len(doomed)

    def close(self) -> None:
        """Close the client, and release the folder of an embedded server."""
        self._client.close()
        self._on_close(self._uri)

    def _ask(self, where: str, request: Callable[[], _Answer]) -> _Answer:
        where = where if where == self._uri else f"{self._uri}, {where}"
        return ask(request, where, seconds=self._config.retry_seconds)

    def _new(self, collection: str, rows: Rows) -> list[str]:
        """Return the keys that the collection does not hold."""
        get = partial(self._client.get, collection, ids=list(rows), output_fields=["key"])
        known = {hit["key"] for hit in self._ask(collection, get)}
        return [key for key in rows if key not in known]

    def _insert(self, collection: str, rows: Rows) -> int:
        new = [
            {"key": key} | {name: rows[key][name] for name in rows[key] if name != "text_sha256"}
            for key in self._new(collection, rows)
        ]
        if new:
            upsert = partial(self._client.upsert, collection, new, timeout=_REQUEST_SECONDS)
            self._ask(collection, upsert)
        return len(new)

    def _flush(self, collection: str) -> None:
        self._ask(collection, partial(self._client.flush, collection))


def open_milvus_server(_: Folder, config: LoadConfig) -> MilvusStore:
    """Connect to the server at `load.milvus_uri`.

    Raises:
        TransientError: It does not answer.
    """
    return MilvusStore(config.milvus_uri, config, token=os.environ.get(TOKEN_VARIABLE, ""))


def open_milvus_lite(store: Folder, config: LoadConfig) -> MilvusStore:
    """Open Milvus Lite in its folder below the store.

    Raises:
        TransientError: Another process holds the folder.
    """
    path = Path(store.path(MILVUS_FILE))
    with changing(store.uri):
        path.parent.mkdir(parents=True, exist_ok=True)
    return MilvusStore(str(path), config, on_close=_release)


def _release(path: str) -> None:
    """Free the folder's lock, which closing the client alone would keep."""
    from milvus_lite.server_manager import server_manager_instance

    server_manager_instance.release_server(path)
