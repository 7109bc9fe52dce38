"""The adapter for Milvus, embedded or a server."""

from __future__ import annotations

import logging
import os
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

import grpc
import pyarrow as pa
import tenacity
from pymilvus import DataType, MilvusClient
from pymilvus.exceptions import MilvusException

from graphrag_tasks.core.config import LoadConfig
from graphrag_tasks.core.errors import TransientError
from graphrag_tasks.embed.vectors.vector_store import ANYWHERE, LABELS, Rows, VectorHit, Where, by_key, condition
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.files import changing

log = logging.getLogger(__name__)

MILVUS_FILE = "milvus/vectors.db"  # Folder of Milvus Lite in the store.

TOKEN_VARIABLE = "GRAPHRAG_MILVUS_TOKEN"  # noqa: S105 - its name
"""Environment variable of the server's token, `user:password`; never a setting or an artifact."""

_OF_ITERATORS = "pymilvus.client.iterator.query_iterator"
_REQUEST_SECONDS = 30  # Timeout of a request in seconds; chosen.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 10  # Seconds between two attempts, doubled from the first to the longest.
_RETRY_SECONDS = 60  # How long a failed request is repeated: a server that starts again is back by then.
_BATCH_ROWS = 2000  # Rows of a request by key: with vectors of 384 numbers 3 MB, far below what a server takes.
_INDEX_TYPE, _METRIC = "FLAT", "IP"
"""Of a new collection: all rows are compared, as with arrays, and unit vectors have one order by either metric."""
_FAILURES = (MilvusException, grpc.RpcError)
_LENGTH = 64  # of keys, ids and scalar values
_LABEL_LENGTH = 128  # as config.LABEL_PATTERN
_MOST_LABELS = 4096  # as many as an array in Milvus may hold
_OWN_COLUMNS = ("id", "text_sha256", "vector")
_HELD: Counter[str] = Counter()
_HOLDING = RLock()  # Lock for `_HELD`, the number of clients in this process per embedded folder.
_Answer = TypeVar("_Answer")


class MilvusStore:
    """Milvus: a server, or embedded in this process on a folder that only one process may open.

    A failed request is repeated until `_RETRY_SECONDS` have passed since the first try; rows are upserted by key, so
    doing it twice does no harm. `on_close` gets the uri.
    """

    def __init__(self, uri: str, *, token: str = "", on_close: Callable[[str], None] = lambda _uri: None) -> None:
        logging.getLogger("grpc._server").addFilter(_is_no_missing_method)
        logging.getLogger(_OF_ITERATORS).addFilter(_is_no_missing_timestamp)
        self._uri = uri
        self._on_close = on_close
        connect = partial(MilvusClient, uri, token=token, timeout=_REQUEST_SECONDS)
        self._client: Any = self._ask("", connect)

    def insert_new(self, collection: str, vectors: pa.Table) -> int:
        """Insert the rows whose keys the collection lacks; return their number."""
        if not vectors.num_rows:
            return 0
        self._ask(collection, partial(self._open, collection, vectors.schema))
        inserted = sum(self._insert(collection, rows) for rows in by_key(vectors, _BATCH_ROWS))
        self._flush(collection)
        missing = sum(len(self._new(collection, rows)) for rows in by_key(vectors, _BATCH_ROWS))
        if missing:
            what = f"{missing} of {vectors.num_rows} rows are not there after the insert"
            raise TransientError(what, f"load, {collection}")
        return inserted

    def search(self, collection: str, vector: Collection[float], k: int, where: Where = ANYWHERE) -> list[VectorHit]:
        """Return the rows nearest to a vector, best first, of any snapshot."""
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

    def dimension(self, collection: str) -> int | None:
        """Return the collection's dimension, or None where there is no such collection."""
        if not self._ask(collection, lambda: self._client.has_collection(collection)):
            return None
        found = self._ask(collection, lambda: self._client.describe_collection(collection))
        (vector,) = (field for field in found["fields"] if field["name"] == "vector")
        return int(vector["params"]["dim"])

    def vectors(self, collection: str, keys: Collection[str]) -> dict[str, Sequence[float]]:
        """Return the vectors of rows by their keys, without those that are not there."""
        wanted = list(keys)

        def get(part: list[str]) -> Any:  # noqa: ANN401 - pymilvus is untyped
            self._client.load_collection(collection)
            return self._client.get(collection, ids=part, output_fields=["key", "vector"], timeout=_REQUEST_SECONDS)

        found: dict[str, Sequence[float]] = {}
        for start in range(0, len(wanted), _BATCH_ROWS):
            rows = self._ask(collection, partial(get, wanted[start : start + _BATCH_ROWS]))
            found |= {row["key"]: row["vector"] for row in rows}
        return found

    def remove_others(self, collection: str, kept: Callable[[str], bool]) -> int:
        """Remove the rows of a collection whose key is not kept; return their number."""
        if not self._ask(collection, lambda: self._client.has_collection(collection)):
            return 0
        keys = self._ask(collection, partial(self._keys, collection))
        doomed = [key for key in keys if not kept(key)]
        for start in range(0, len(doomed), _BATCH_ROWS):
            ids = doomed[start : start + _BATCH_ROWS]
            self._ask(collection, partial(self._client.delete, collection, ids=ids))
        self._flush(collection)
        return len(doomed)

    def close(self) -> None:
        """Close the client, and release the folder of an embedded server."""
        self._client.close()
        self._on_close(self._uri)

    def _ask(self, collection: str, request: Callable[[], _Answer]) -> _Answer:
        tries = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(_FAILURES),
            stop=tenacity.stop_after_delay(_RETRY_SECONDS),
            wait=tenacity.wait_exponential(_FIRST_PAUSE, _LONGEST_PAUSE),
            before_sleep=_log_failure,
            reraise=True,
        )
        try:
            return tries(request)
        except _FAILURES as error:
            raise TransientError(
                f"Milvus does not do what it is asked: {error}",
                f"{self._uri}, {collection}" if collection else self._uri,
                "Start the server; a folder can be held by one process only: end it, or wait",
            ) from error

    def _open(self, collection: str, columns: pa.Schema) -> None:
        """Load a collection for these columns; create it, or what a process killed in creating it left out."""
        index = self._client.prepare_index_params()
        index.add_index("vector", index_type=_INDEX_TYPE, metric_type=_METRIC)
        if self._client.has_collection(collection):
            if not self._client.list_indexes(collection):
                self._client.create_index(collection, index)
            self._client.load_collection(collection)
            return
        # Milvus Lite makes a collection's folder, then writes its schema: a folder alone is none, and in the way
        if "://" not in self._uri:
            shutil.rmtree(Path(self._uri, "collections", collection), ignore_errors=True)
        schema = self._client.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("key", DataType.VARCHAR, max_length=_LENGTH, is_primary=True)
        dimension = columns.field("vector").type.list_size
        schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dimension)
        for field in ("id", *sorted(set(columns.names).difference(_OWN_COLUMNS, {LABELS}))):
            schema.add_field(field, DataType.VARCHAR, max_length=_LENGTH)
        if LABELS in columns.names:
            schema.add_field(
                LABELS, DataType.ARRAY, element_type=DataType.VARCHAR,
                max_capacity=_MOST_LABELS, max_length=_LABEL_LENGTH,
            )  # fmt: skip
        self._client.create_collection(  # rows are counted right after they were inserted
            collection, schema=schema, index_params=index, consistency_level="Strong"
        )

    def _keys(self, collection: str) -> list[str]:
        self._client.load_collection(collection)
        rows = self._client.query_iterator(collection, batch_size=_BATCH_ROWS, output_fields=["key"])
        keys: list[str] = []
        while batch := rows.next():
            keys += (row["key"] for row in batch)
        rows.close()
        return keys

    def _new(self, collection: str, rows: Rows) -> list[str]:
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
    """Connect to the server at `load.milvus_uri`, or raise `TransientError`."""
    return MilvusStore(config.milvus_uri, token=os.environ.get(TOKEN_VARIABLE, ""))


def open_milvus_lite(store: Folder, _: LoadConfig) -> MilvusStore:
    """Open Milvus Lite below the store, or raise `TransientError` if another process holds it."""
    path = Path(store.path(MILVUS_FILE))
    with changing(store.uri):
        path.parent.mkdir(parents=True, exist_ok=True)
    with _HOLDING:
        _HELD[str(path)] += 1
    try:
        return MilvusStore(str(path), on_close=_release)
    except BaseException:
        _release(str(path))
        raise


def _release(path: str) -> None:
    """Release the folder's lock after the last client, as closing that client does not."""
    from milvus_lite.server_manager import server_manager_instance

    with _HOLDING:
        _HELD[path] -= 1
        if not _HELD[path]:
            server_manager_instance.release_server(path)


def _log_failure(state: tenacity.RetryCallState) -> None:
    error = state.outcome.exception() if state.outcome else None
    log.warning("Milvus: try %d failed, another follows: %s", state.attempt_number, error)


def _is_no_missing_method(record: logging.LogRecord) -> bool:
    """Drop the traceback of a call that pymilvus tries and Milvus Lite does not support.

    pymilvus requests a timestamp on connect and accepts the answer "not implemented"; the embedded server would log an
    error each time.
    """
    return not (record.exc_info and isinstance(record.exc_info[1], NotImplementedError))


def _is_no_missing_timestamp(record: logging.LogRecord) -> bool:
    """Drop Milvus Lite's warning about a missing read timestamp: only one process writes."""
    return "mvccTs" not in record.msg
