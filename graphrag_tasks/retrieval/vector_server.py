"""Search by vector in the server that a snapshot was loaded into, for one reader.

The server holds rows of many snapshots and of hidden documents. Access labels are part of the
filter that the server applies, and each row found is compared with the reader's view of the pinned
snapshot before it is returned.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from functools import cache
from heapq import nlargest
from typing import NamedTuple

import pyarrow.compute as pc

from graphrag_tasks.core.config import LoadConfig
from graphrag_tasks.core.errors import ConfigError, QueryError
from graphrag_tasks.retrieval.view.visibility import Principals, VisibleSnapshot, visible
from graphrag_tasks.snapshots.store import Snapshot, Store
from graphrag_tasks.sources.labels import PUBLIC
from graphrag_tasks.vectors.conditions import ANYWHERE, Where
from graphrag_tasks.vectors.fields import LABELS, row_keys
from graphrag_tasks.vectors.vector_store import VectorHit, VectorStore, open_vector_store, rows_in

MOST_ROWS = 10_000
"""Most rows or keys in one request; a Milvus server returns at most 16,384."""

_MORE = 4
"""Factor by which more rows are asked for where too few are the reader's; chosen."""


class _Rows(NamedTuple):
    collection: str
    keys: frozenset[str]
    labelled: bool


class ServedVectors:
    """The vectors of one pinned snapshot in its server, as a reader with `principals` sees them.

    Raises:
        AccessError: The snapshot has labels and no principals are given, or the other way round.
    """

    def __init__(
        self, server: VectorStore, snapshot: Snapshot, principals: Principals = None
    ) -> None:
        self._server = server
        self._snapshot = snapshot
        self._view = visible(snapshot, principals)
        held = principals if isinstance(principals, Collection) else None
        self._labels = None if held is None else sorted({PUBLIC, *held})
        self._rows = cache(self._rows_of)

    def search(
        self, kind: str, vector: Collection[float], k: int, where: Where = ANYWHERE
    ) -> list[VectorHit]:
        """Return the k rows nearest to a vector that the reader may see, best first.

        Args:
            kind: chunk, entity or relation.
            vector: Unit vector of the snapshot's model.
            k: Rows wanted; fewer are returned only if there are no more.
            where: Allowed values by scalar field of `load.fields`.

        Raises:
            QueryError: There is no such kind, k is below 1, or a filter is invalid.
            ConfigError: The snapshot was not loaded into a server.
            TransientError: The server refused.
        """
        if k < 1:
            raise QueryError(f"k must be at least 1 (got {k})")
        rows = self._rows(kind)
        if rows.labelled and self._labels is not None:
            where = {LABELS: self._labels, **where}
        asked = k
        while asked <= MOST_ROWS:
            found = self._server.search(rows.collection, vector, asked, where)
            seen = [hit for hit in found if hit.key in rows.keys]
            if len(seen) >= k or len(found) < asked:
                return seen[:k]
            asked *= _MORE
        # Hidden rows crowd out the reader's own, so these are searched by their keys.
        hits: list[VectorHit] = []
        keys = sorted(rows.keys)
        for start in range(0, len(keys), MOST_ROWS):
            part = keys[start : start + MOST_ROWS]
            among = {**where, "key": part}
            hits += self._server.search(rows.collection, vector, min(k, len(part)), among)
        return nlargest(k, hits, key=lambda hit: hit.score)

    def _rows_of(self, kind: str) -> _Rows:
        name, manifest = f"{kind}_vectors", self._snapshot.manifest
        if not manifest.collections:
            raise ConfigError(
                "the snapshot was loaded into no vector server", self._snapshot.folder.uri,
                "Set load.vector_store and index again, or search with open_index",
            )  # fmt: skip
        if name not in manifest.collections:
            kinds = ", ".join(one.removesuffix("_vectors") for one in manifest.collections)
            raise QueryError(f"there are no vectors of '{kind}'", "", f"There are: {kinds}")
        collection = manifest.collections[name]
        rows = rows_in(collection, self._snapshot.folder, name, manifest.embedding)
        if isinstance(self._view, VisibleSnapshot):
            rows = rows.filter(pc.is_in(rows["id"], value_set=self._view.searchable(kind)))
        return _Rows(collection, frozenset(row_keys(rows)), LABELS in rows.column_names)


@contextmanager
def open_served(
    store: str, config: LoadConfig, snapshot: str | None = None, principals: Principals = None
) -> Iterator[ServedVectors]:
    """Open a published snapshot for search in its vector server.

    Store, snapshot and principals are as for `retrieval.open_index`.

    Raises:
        SnapshotError: Nothing is published, or there is no such snapshot.
        AccessError: The snapshot has labels and no principals are given, or the other way round.
        ConfigError: There is no vector server.
        TransientError: It does not answer.
    """
    opened = Store(store)
    pinned = opened.open(snapshot)
    server = open_vector_store(opened.folder, config)
    if server is None:
        what = "there is no vector server: load.vector_store is 'none', or 'auto' finds none"
        raise ConfigError(what, store, "Search with open_index")
    with closing(server):
        yield ServedVectors(server, pinned, principals)
