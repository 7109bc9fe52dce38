"""The rows of a vector server that one reader may see, used by every search there, and the chunks as a `VectorIndex`.

A server has rows of many snapshots and of hidden documents. Access labels are part of the filter that the server
applies, and each row found is checked against the reader's view of the snapshot before it is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from functools import cached_property
from heapq import nlargest
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.core.commands import command
from graphrag_tasks.core.config import LoadConfig
from graphrag_tasks.core.errors import ConfigError, QueryError
from graphrag_tasks.embed.vectors.vector_store import (
    ANYWHERE,
    LABELS,
    VectorHit,
    VectorStore,
    Where,
    open_vector_store,
    row_keys,
    rows_in,
)
from graphrag_tasks.retrieval.view.arrays import Floats, Scores, Vectors, top
from graphrag_tasks.retrieval.view.vector_index import Cosines
from graphrag_tasks.retrieval.view.visibility import Principals, VisibleSnapshot, visible
from graphrag_tasks.sources.labels import PUBLIC
from graphrag_tasks.storage.artifacts import Folder, Rows, rows_of
from graphrag_tasks.storage.snapshots.store import ARROW_TABLES, Snapshot

MOST_ROWS = 10_000  # Most rows or keys in one request; a Milvus server returns at most 16,384.
_LEAST_READ = 1_000  # Nearest rows, and best by other scores, that are read of many: what one search returns at most.
_MORE = 4  # Factor by which more rows are asked for where too few are the reader's; chosen.

_SAME = 1e-3
"""Most that a number of a vector in the server differs from the published one; float32 has seven digits, and half
precision three."""

_OR_ARRAYS = "or search with retrieval.vectors = arrays"


class ServedRows:
    """The rows of one kind, as a reader with `principals` may search them.

    Attributes:
        table: Their `id`, `text_sha256` and scalar fields, except those whose visible wording differs from the
            published one.
        keys: Their keys on the server.
        places: The position of each key.
    """

    def __init__(
        self,
        server: VectorStore,
        snapshot: Snapshot,
        kind: str,
        principals: Principals = None,
        view: Snapshot | None = None,
    ) -> None:
        view = visible(snapshot, principals) if view is None else view
        rows = _published(snapshot, kind)
        if isinstance(view, VisibleSnapshot):
            rows = rows.filter(pc.is_in(rows["id"], value_set=view.searchable(kind)))
        self.table = rows
        self.keys = list(row_keys(rows))
        self.places = {key: place for place, key in enumerate(self.keys)}
        self._server = server
        self._collection = snapshot.manifest.collections[f"{kind}_vectors"]
        self._dimension = int(snapshot.manifest.embedding["dimension"])
        held = principals if isinstance(principals, Collection) else None
        labelled = held is not None and LABELS in rows.column_names
        self._labels: Where = {LABELS: sorted({PUBLIC, *(held or ())})} if labelled else ANYWHERE

    def __len__(self) -> int:
        return len(self.keys)

    def nearest(self, vector: Collection[float], k: int, where: Where = ANYWHERE, *, asked: int = 0) -> list[VectorHit]:
        """Return at least the k nearest rows, best first; fewer if there are no more.

        Args:
            vector: Unit vector of the snapshot's model.
            k: Number of rows.
            where: Allowed values by scalar field.
            asked: Number of rows to request first, if more than k are useful.
        """
        where = {**self._labels, **where}
        asked = max(asked, k)
        while asked <= MOST_ROWS:
            found = self._server.search(self._collection, vector, asked, where)
            seen = [hit for hit in found if hit.key in self.places]
            if len(seen) >= k or len(found) < asked:
                return seen
            asked *= _MORE
        # Rows of others crowd out the reader's own, so these are searched by their keys.
        return self.among(self.keys, vector, k, where)

    def among(self, keys: Sequence[str], vector: Collection[float], k: int, where: Where = ANYWHERE) -> list[VectorHit]:
        """Return the k nearest rows among those with these keys, best first."""
        hits: list[VectorHit] = []
        listed = sorted(keys)
        for start in range(0, len(listed), MOST_ROWS):
            part = listed[start : start + MOST_ROWS]
            among = {**where, "key": part}
            hits += self._server.search(self._collection, vector, min(k, len(part)), among)
        return nlargest(k, hits, key=lambda hit: hit.score)

    def vectors(self, places: Sequence[int]) -> Vectors:
        """Return the vectors of rows, shape (places, dimension)."""
        keys = [self.keys[place] for place in places]
        found = self._server.vectors(self._collection, keys)
        if lost := len(set(keys) - found.keys()):
            raise _lacking(self._collection, lost)
        rows = [found[key] for key in keys]
        return np.array(rows, dtype=np.float32).reshape(len(keys), self._dimension)


class ServedIndex:
    """The vectors of the chunks that a reader sees, on a server; a `VectorIndex` for the modes `SERVED_MODES`.

    Of up to `MOST_ROWS` rows every cosine is read, with the same results as the matrix. Of more, the nearest are read,
    the best by the combined scores, and the nearest that a filter allows; mean and deviation are those of the rows
    read, and others get the least value. A row whose visible wording differs from the published one has a zero vector.

    Args:
        served: Returns the reader's rows; called on first use.
        ids: Ids of all visible rows.
        dimension: Length of a vector.
    """

    def __init__(self, served: Callable[[], ServedRows], ids: pa.Array[Any], dimension: int) -> None:
        self._open = served
        self._ids = ids
        self.dimension = dimension

    def __len__(self) -> int:
        return len(self._ids)

    @cached_property
    def _served(self) -> ServedRows:
        return self._open()

    @cached_property
    def _rows(self) -> Rows:
        return rows_of(self._served.table, "id", self._ids, "vectors")

    @cached_property
    def _places(self) -> Rows:
        """The served position of each row; -1 for zero vectors."""
        places = np.full(len(self), -1, dtype=np.int64)
        places[self._rows] = np.arange(len(self._rows))
        return places

    def cosines(
        self, vectors: Vectors, *, beside: Scores | None = None, allowed: NDArray[np.bool_] | None = None
    ) -> list[Cosines]:
        """Return the cosines of all rows with several vectors."""
        return [self._cosines(vector, beside, allowed) for vector in vectors]

    def cosines_of(self, rows: Rows | Sequence[int], vector: Vectors) -> Floats:
        """Return the cosines of some rows with a vector."""
        cosines: Floats = np.vecdot(self.take(np.asarray(rows, dtype=np.int64)), vector)
        return cosines

    def take(self, rows: Rows) -> Vectors:
        """Return the vectors of some rows."""
        taken = np.zeros((len(rows), self.dimension), dtype=np.float32)
        is_served = self._places[rows] >= 0
        if is_served.any():
            distinct, inverse = np.unique(self._places[rows][is_served], return_inverse=True)
            taken[is_served] = self._served.vectors(distinct.tolist())[inverse]
        return taken

    def _cosines(self, vector: Vectors, beside: Scores | None, allowed: NDArray[np.bool_] | None) -> Cosines:
        served, values, is_read = self._served, np.zeros(len(self), dtype=np.float32), self._places < 0
        are_few = len(served) <= MOST_ROWS

        def note(hits: Sequence[VectorHit]) -> None:
            rows = self._rows[np.array([served.places[hit.key] for hit in hits], dtype=np.int64)]
            values[rows] = [hit.score for hit in hits]
            is_read[rows] = True

        if len(served):
            note(served.nearest(vector, len(served) if are_few else _LEAST_READ, asked=MOST_ROWS))
        if not are_few and allowed is not None and np.count_nonzero(allowed & is_read) < _LEAST_READ:
            note(served.among([served.keys[one] for one in self._places[allowed & ~is_read]], vector, _LEAST_READ))
        wanted = ~is_read if are_few else np.zeros(len(self), dtype=bool)
        if beside is not None and not are_few:
            best = top(beside, np.arange(len(beside)), _LEAST_READ)
            wanted[best[beside[best] > 0]] = True
        rows = np.flatnonzero(wanted & ~is_read)
        values[rows] = self.cosines_of(rows, vector)
        if are_few:
            return Cosines(values)
        is_read[rows] = True
        read = np.flatnonzero(is_read)
        values[~is_read] = values[read].min()
        moments = (float(values[read].mean()), float(values[read].std()))
        return Cosines(values, moments, lambda some: self.cosines_of(some, vector), read)


def open_server(folder: Folder, config: LoadConfig, snapshot: Snapshot) -> VectorStore:
    """Open the server that a snapshot was loaded into, and check its content.

    `folder` is the store's; `snapshot` is unfiltered.
    """
    _require_loaded(snapshot)
    server = open_vector_store(folder, config)
    if server is None:
        what = "there is no vector server: load.vector_store is 'none', or 'auto' finds none"
        hint = f"Name the server that it was loaded into, {_OR_ARRAYS}"
        raise ConfigError(what, folder.uri, hint)
    with ExitStack() as on_error:
        on_error.callback(server.close)
        for name, collection in snapshot.manifest.collections.items():
            if snapshot.manifest.tables[name].rows:
                _compare(server, collection, snapshot, name.removesuffix("_vectors"))
        on_error.pop_all()
    return server


def _require_loaded(snapshot: Snapshot) -> None:
    if not snapshot.manifest.collections:
        raise ConfigError(
            "the snapshot was loaded into no vector server", snapshot.folder.uri,
            f"Set load.vector_store and index again, {_OR_ARRAYS}",
        )  # fmt: skip


def _published(snapshot: Snapshot, kind: str) -> pa.Table:
    _require_loaded(snapshot)
    name, manifest = f"{kind}_vectors", snapshot.manifest
    if name not in manifest.collections:
        kinds = ", ".join(one.removesuffix("_vectors") for one in manifest.collections)
        raise QueryError(f"there are no vectors of '{kind}'", "", f"There are: {kinds}")
    rows = rows_in(manifest.collections[name], snapshot.folder, name, manifest.embedding)
    return rows.drop_columns("vector")


def _compare(server: VectorStore, collection: str, snapshot: Snapshot, kind: str) -> None:
    """Refuse a collection that is missing, or whose first row is not as published."""
    where = f"load.vector_store, {collection}"
    dimension, wanted = server.dimension(collection), int(snapshot.manifest.embedding["dimension"])
    if dimension is None:
        what = "the snapshot's collection is not in the vector server"
        raise ConfigError(what, where, f"Name the server that it was loaded into. {_load()}")
    (key,) = row_keys(_published(snapshot, kind).slice(0, 1))
    found = server.vectors(collection, [key]) if dimension == wanted else {}
    if dimension == wanted and key not in found:
        raise _lacking(collection, 1)
    published = snapshot.folder.open_arrow(ARROW_TABLES[f"{kind}_vectors"])["vector"][0].as_py()
    if dimension != wanted or not np.allclose(found[key], published, rtol=0, atol=_SAME):
        raise ConfigError(
            f"the collection holds other vectors, of {dimension} numbers, than the model of the "
            f"snapshot, {snapshot.manifest.embedding['model']}, makes, of {wanted}",
            where, f"Drop the collection. {_load()}, {_OR_ARRAYS}",
        )  # fmt: skip


def _lacking(collection: str, count: int) -> ConfigError:
    what = f"the vector server lacks rows of the snapshot ({count} of those asked for)"
    return ConfigError(what, f"load.vector_store, {collection}", f"{_load()}, {_OR_ARRAYS}")


def _load() -> str:
    return f"Load it again: {command('index', '--full-refresh')}"
