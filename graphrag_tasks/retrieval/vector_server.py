"""Vector-only search in the server that a snapshot was loaded into, for one reader."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from functools import cache, partial

from graphrag_tasks.core.config import LoadConfig
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.embed.vectors.fields import ANYWHERE, Where
from graphrag_tasks.embed.vectors.vector_store import VectorHit, VectorStore
from graphrag_tasks.retrieval.view.served_rows import ServedRows, open_server
from graphrag_tasks.retrieval.view.visibility import Principals, visible
from graphrag_tasks.storage.snapshots.store import Snapshot, Store


class ServedVectors:
    """The vectors of one snapshot on its server, as a reader with `principals` sees them."""

    def __init__(self, server: VectorStore, snapshot: Snapshot, principals: Principals = None) -> None:
        view = visible(snapshot, principals)
        rows = partial(ServedRows, server, snapshot, principals=principals, view=view)
        self._rows = cache(rows)

    def search(self, kind: str, vector: Collection[float], k: int, where: Where = ANYWHERE) -> list[VectorHit]:
        """Return the k nearest rows that the reader may see, best first.

        Args:
            kind: chunk, entity or relation.
            vector: Unit vector of the snapshot's model.
            k: Number of rows; fewer only if there are no more.
            where: Allowed values by scalar field of `load.fields`.
        """
        if k < 1:
            raise QueryError(f"k must be at least 1 (got {k})")
        return self._rows(kind).nearest(vector, k, where)[:k]


@contextmanager
def open_served(
    store: str, config: LoadConfig, snapshot: str | None = None, principals: Principals = None
) -> Iterator[ServedVectors]:
    """Open a published snapshot for search in its vector server.

    Store, snapshot and principals are as for `retrieval.open_index`.
    """
    opened = Store(store)
    pinned = opened.open(snapshot)
    with closing(open_server(opened.folder, config, pinned)) as server:
        yield ServedVectors(server, pinned, principals)
