"""The snapshots of one store, as the configured principals may see them."""

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
"""Stands for the id of the snapshot that is current at the time of a request."""

COUNTED = ("documents", "chunks", "entities", "relations")

_MOST_OPEN = 3
_DAMAGED = "cannot be opened: damaged, or of another schema version"


@dataclass(frozen=True)
class Listed:
    """A published snapshot, as a line of a list.

    Attributes:
        snapshot_id: Its id.
        created_at: UTC time of the publish, ISO 8601.
        current: Whether it is the current snapshot.
        schema_version: Schema version of its tables.
        why_no_figures: Why counts and size are hidden; empty where they are shown.
        readable: Whether it can be opened.
        counts: Rows of the main tables, if they may be shown.
        size_bytes: Size of all its files, shared ones included, if it may be shown.
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
    """Opens snapshots of the configured store, and keeps a few open; threads may share it."""

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
        """Open a snapshot, by its id or `CURRENT`, as the configured principals see it.

        Raises:
            SnapshotError: Nothing is published, there is no such snapshot, or it is damaged.
            AccessError: The snapshot has labels and no principals are configured, or vice versa.
        """
        with self._lock:
            wanted = self.store.current_id() if snapshot_id == CURRENT else snapshot_id
            if wanted and wanted in self._indexes and self._is_there(wanted):
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
        """Return the bytes of a snapshot; None if it has labels, for hidden documents count."""
        if snapshot_id not in self._sizes:
            snapshot = self.store.open(snapshot_id)
            labels = snapshot.table("documents", ["labels"])["labels"]
            sizes = (snapshot.folder.size(file_of(name)) for name in snapshot.manifest.tables)
            self._sizes[snapshot_id] = None if labels.null_count < len(labels) else sum(sizes)
        return self._sizes[snapshot_id]
