"""Open a published snapshot for search, with its vectors in memory or on a server."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any
from weakref import finalize

import pyarrow as pa

from graphrag_tasks.core.config import LanguageConfig, LoadConfig, RetrievalConfig
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.core.progress import SEARCH_BYTES, require_address_space
from graphrag_tasks.embed.protocol import Embedder
from graphrag_tasks.embed.vectors.fields import ANYWHERE, Where
from graphrag_tasks.embed.vectors.vector_store import VectorHit, VectorStore
from graphrag_tasks.retrieval.index import Index
from graphrag_tasks.retrieval.searching import needs_arrays
from graphrag_tasks.retrieval.view.served_rows import ServedIndex, ServedRows, open_server
from graphrag_tasks.retrieval.view.vector_index import ARRAYS, VectorIndex
from graphrag_tasks.retrieval.view.visibility import Principals, visible
from graphrag_tasks.storage.snapshots.store import Snapshot, Store, mirrored


def open_index(
    store: str | Path,
    snapshot: str | None = None,
    principals: Principals = None,
    *,
    config: RetrievalConfig | None = None,
    language: LanguageConfig | None = None,
    embedder: Embedder | None = None,
    noun_phrases: Callable[[str], Sequence[str]] | None = None,
    verify: bool = True,
    vectors: str | None = None,
    load: LoadConfig | None = None,
) -> Index:
    """Open a published snapshot for search.

    Args:
        store: Folder or URI of the store; a remote snapshot is copied to the local disk.
        snapshot: Id of the snapshot to open; the current one by default.
        principals: Access labels of the reader; only documents with one of them, or with the label `public`, are
            searched. Required if and only if the snapshot has labels.
        config: Parameters of the search; the paper's by default.
        embedder: Query encoder; by default the model in the manifest, loaded on first search.
        language: Names the spaCy model that finds noun phrases, loaded on first use; the built-in one by default.
        noun_phrases: Finds the noun phrases of a question in place of that model.
        verify: Whether tables are compared with their published hashes when first read.
        vectors: `arrays`, or the vector store that the snapshot was loaded into, as `milvus`, for the modes `dense` and
            `hybrid` alone; by default `config.vectors`.
        load: Where that vector store is; by default a server on this machine. The connection is closed with the index.

    Raises:
        SnapshotError: Nothing is published, there is no such snapshot, it is damaged, or it was embedded with another
            embedder.
        AccessError: The snapshot has labels and no principals are given, or vice versa.
        ArtifactError: One of its tables is missing or unreadable.
        ConfigError: This process may map too little memory for a search; or the snapshot was loaded into no vector
            server, or a collection there is missing or of another model.
        MissingDependencyError: The packages for the vector store are not installed.
        TransientError: The vector server does not answer; a search raises it too.
    """
    require_address_space(SEARCH_BYTES, "a search")
    opened_store = Store(str(store))
    config = config or RetrievalConfig()
    chosen = config.vectors if vectors is None else vectors
    config = config.model_copy(update={"vectors": chosen})
    make = partial(Index, config=config, language=language, embedder=embedder, noun_phrases=noun_phrases)

    def opened(pinned: Snapshot) -> Index:
        local = mirrored(pinned)
        whole = local if verify else Snapshot(local.folder, checked=False)
        seen = visible(whole, principals)
        if chosen == ARRAYS:
            return make(seen)
        settings = (load or LoadConfig()).model_copy(update={"vector_store": chosen})
        server = open_server(opened_store.folder, settings, whole)
        try:
            index = make(seen, vectors=partial(_served, server, whole, principals))
        except BaseException:
            server.close()
            raise
        finalize(index.graph, server.close)  # copies of the index share the graph
        return index

    return opened_store.opened(opened, snapshot)


def _served(
    server: VectorStore, whole: Snapshot, principals: Principals, view: Snapshot, kind: str, ids: pa.Array[Any]
) -> VectorIndex:
    def rows() -> ServedRows:
        if kind != "chunk":
            raise needs_arrays("what compares a question with entities or relations")
        return ServedRows(server, whole, kind, principals, view)

    return ServedIndex(rows, ids, int(whole.manifest.embedding["dimension"]))


# Vector-only search in the server that a snapshot was loaded into, for one reader.


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
