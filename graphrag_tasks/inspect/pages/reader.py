"""What the pages may read: snapshots of one store, as the configured principals see them."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import GraphragError
from graphrag_tasks.retrieval import Index, open_index
from graphrag_tasks.snapshots.manifests import MANIFEST_FILE, Manifest
from graphrag_tasks.snapshots.store import Store, file_of

CURRENT = "current"
"""In place of an id: the snapshot that is current when the page is asked for."""

COUNTED = ("documents", "chunks", "entities", "relations")

_MOST_OPEN = 3
_DAMAGED = "cannot be opened: damaged, or of another schema version"


@dataclass(frozen=True)
class Listed:
    """A published snapshot, as a line of a list.

    Attributes:
        snapshot_id: Its id.
        created_at: UTC time of the publish, ISO 8601.
        current: Whether readers get it where they name none.
        schema_version: Of its tables.
        why_no_figures: What hides counts and size; empty where they are shown.
        readable: Whether it can be opened.
        counts: Rows of the main tables, if they may be shown.
        size_bytes: Of all its files, shared ones included, if it may be shown.
    """

    snapshot_id: str
    created_at: str
    current: bool
    schema_version: int
    why_no_figures: str
    readable: bool
    counts: dict[str, int]
    size_bytes: int


class Reader:
    """Opens snapshots of the configured store, and keeps a few open; threads may share it.

    Args:
        config: The store, the principals of the pages, and parameters of search.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.store = Store(config.store)
        self._indexes: OrderedDict[str, Index] = OrderedDict()
        self._sizes: dict[str, int | None] = {}
        self._lock = Lock()

    def snapshots(self) -> list[Listed]:
        """Return the published snapshots, newest first; those of damaged manifests at the end."""
        current = self.store.current_id()
        damaged = [
            Listed(name, "", name == current, 0, _DAMAGED, False, {}, 0)
            for name in self.store.damaged()
        ]
        return [self._line(one, current) for one in reversed(self.store.manifests())] + damaged

    def index(self, snapshot_id: str) -> Index:
        """Open a snapshot for search, as the configured principals see it.

        Args:
            snapshot_id: Its id, or `CURRENT`.

        Raises:
            SnapshotError: Nothing is published, there is no such snapshot, or it is damaged.
            AccessError: The snapshot has labels and no principals are configured, or the other
                way round.
        """
        with self._lock:
            wanted = self.store.current_id() if snapshot_id == CURRENT else snapshot_id
            if wanted is not None and wanted in self._indexes and self._is_there(wanted):
                self._indexes.move_to_end(wanted)
                return self._indexes[wanted]
            opened = open_index(
                self.config.store, wanted, self.config.pages.principals,
                config=self.config.retrieval,
            )  # fmt: skip
            self._indexes[opened.snapshot.snapshot_id] = opened
            while len(self._indexes) > _MOST_OPEN:
                self._indexes.popitem(last=False)
            return opened

    def _is_there(self, snapshot_id: str) -> bool:
        return self.store.snapshot_folder(snapshot_id).exists(MANIFEST_FILE)

    def _line(self, manifest: Manifest, current: str | None) -> Listed:
        snapshot_id = manifest.snapshot_id
        why, readable, size, counts = "", True, None, dict[str, int]()
        try:
            size = self._size(snapshot_id)
            counts = {name: manifest.tables[name].rows for name in COUNTED}
        except (GraphragError, OSError, KeyError):  # damaged, of another schema, or removed
            why, readable = _DAMAGED, False
        if readable and size is None:
            why = "has access labels: its own page shows what may be seen"
        return Listed(
            snapshot_id, manifest.created_at, snapshot_id == current,
            manifest.schema_version, why, readable, {} if why else counts, size or 0,
        )  # fmt: skip

    def _size(self, snapshot_id: str) -> int | None:
        """Return the bytes of a snapshot; None where documents may be hidden, that count too."""
        if snapshot_id not in self._sizes:
            snapshot = self.store.open(snapshot_id)
            labels = snapshot.table("documents", ["labels"])["labels"]
            sizes = (snapshot.folder.size(file_of(name)) for name in snapshot.manifest.tables)
            self._sizes[snapshot_id] = None if labels.null_count < len(labels) else sum(sizes)
        return self._sizes[snapshot_id]
