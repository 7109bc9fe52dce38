"""What the pages may read: snapshots of one store, as the configured principals see them."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Any

from graphrag_tasks.config import Config
from graphrag_tasks.errors import GraphragError
from graphrag_tasks.retrieval import Index, open_index
from graphrag_tasks.schemas import SCHEMA_VERSION
from graphrag_tasks.snapshots import MANIFEST_FILE, Snapshot, Store, file_of

CURRENT = "current"
"""In place of an id: the snapshot that is current when the page is asked for."""

COUNTED = ("documents", "chunks", "entities", "relations")

_MOST_OPEN = 3


@dataclass(frozen=True)
class Listed:
    """A published snapshot, as a line of a list.

    Attributes:
        snapshot_id: Its id.
        created_at: UTC time of the publish, ISO 8601.
        current: Whether readers get it where they name none.
        schema_version: Of its tables.
        readable: Whether this version of the package opens it.
        counts: Rows of the main tables; None where the snapshot has access labels.
        size_bytes: Of all its files, shared ones included; None as for counts.
    """

    snapshot_id: str
    created_at: str
    current: bool
    schema_version: int
    readable: bool
    counts: dict[str, int] | None
    size_bytes: int | None


class Reader:
    """Opens snapshots of the configured store, and keeps a few open; threads may share it.

    Args:
        config: The store, the principals of the pages, and parameters of search.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.store = Store(config.store)
        self._indexes: OrderedDict[str, Index] = OrderedDict()
        self._listed: dict[str, tuple[dict[str, int] | None, int | None]] = {}
        self._lock = Lock()

    def snapshots(self) -> list[Listed]:
        """Return the published snapshots, newest first."""
        current = self.store.current_id()
        return [self._line(one, current) for one in reversed(self.store.manifests())]

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

    def _line(self, manifest: dict[str, Any], current: str | None) -> Listed:
        snapshot_id, version = str(manifest["snapshot_id"]), int(manifest["schema_version"])
        if snapshot_id not in self._listed:
            self._listed[snapshot_id] = self._figures(snapshot_id, manifest)
        counts, size = self._listed[snapshot_id]
        return Listed(
            snapshot_id, str(manifest["created_at"]), snapshot_id == current, version,
            version == SCHEMA_VERSION, counts, size,
        )  # fmt: skip

    def _figures(
        self, snapshot_id: str, manifest: dict[str, Any]
    ) -> tuple[dict[str, int] | None, int | None]:
        """Return counts and bytes, which are those of hidden documents too: none with labels."""
        folder = self.store.snapshot_folder(snapshot_id)
        try:
            labels = Snapshot(folder).table("documents", ["labels"])["labels"]
            if labels.null_count < len(labels):
                return None, None
            size = sum(folder.size(file_of(name)) for name in manifest["tables"])
        except (GraphragError, OSError):  # of another schema, damaged, or removed meanwhile
            return None, None
        return {name: manifest["tables"][name]["rows"] for name in COUNTED}, size
